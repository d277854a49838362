public import Basics
import Synchronization

/// Names of a list of recognition, each whole or with a `*` at its beginning or end for any text.
package struct NameList: Sendable, Hashable {
    /// The names without a `*`, in the order of the list.
    private(set) var names: [String] = []
    private var whole: Set<String> = []
    private var beginnings: [String] = []
    private var ends: [String] = []
    private var parts: [String] = []

    /// - Parameters:
    ///   - words: The names, as the file has them.
    ///   - isWritten: Whether names are compared as they are written, but for their case.
    init(_ words: [String], asWritten isWritten: Bool = false) {
        for word in words {
            let isOpenAtStart = word.begins(with: "*")
            let isOpenAtEnd = word.ends(with: "*")
            let bare = word.trimming { $0 == UInt8(ascii: "*") }
            let name = isWritten ? bare.asciiLowercased : bare.plainName
            switch (isOpenAtStart, isOpenAtEnd) {
            case (true, true): parts.append(name)
            case (true, false): ends.append(name)
            case (false, true): beginnings.append(name)
            case (false, false):
                if whole.insert(name).inserted { names.append(name) }
            }
        }
    }

    /// Returns whether a name is one of the list.
    ///
    /// - Parameter name: The name as `plainName`, or in small letters if those of the list are
    ///   compared as they are written.
    /// - Returns: Whether the list has it.
    package func contains(_ name: String) -> Bool {
        whole.contains(name) || matchesPattern(name)
    }

    /// Returns whether a name fits one with a `*`.
    func matchesPattern(_ name: String) -> Bool {
        parts.contains { name.containsBytes(of: $0) }
            || beginnings.contains { name.begins(with: $0) }
            || ends.contains { name.ends(with: $0) }
    }
}

/// Names of tokens by their roles.
struct RoleNames: Sendable, Hashable {
    private let whole: [String: TokenRole]
    private let lists: [(role: TokenRole, names: NameList)]

    /// - Parameter lists: The names of each role; of several that fit, the first one counts, and a
    ///   whole name before one with a `*`.
    init(_ lists: [(role: TokenRole, names: NameList)]) {
        self.lists = lists
        whole = lists.reversed().reduce(into: [:]) { whole, list in
            for name in list.names.names { whole[name] = list.role }
        }
    }

    /// Returns the role of a token under a name, or `nil` if the name is none of a token.
    func role(of plainName: String) -> TokenRole? {
        whole[plainName] ?? lists.first { $0.names.matchesPattern(plainName) }?.role
    }

    /// Returns the names of a role, the likeliest first.
    func names(of role: TokenRole) -> [String] {
        lists.first { $0.role == role }?.names.names ?? []
    }

    static func == (left: RoleNames, right: RoleNames) -> Bool {
        left.lists.elementsEqual(right.lists) { $0.role == $1.role && $0.names == $1.names }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(whole)
    }
}

/// What names mean, worked out once for each: messages have the same few names again and again.
final class NameMeanings<Meaning: Sendable>: Sendable {
    private let known = Mutex<[String: Meaning]>([:])
    private let workOut: @Sendable (_ plainName: String) -> Meaning

    /// The most names that are kept; a new one takes the place of all of them.
    private static var limit: Int { 1_024 }
    /// The size of the longest name that is kept, in bytes.
    private static var longest: Int { 40 }

    /// - Parameter workOut: Returns the meaning of a name, which it gets as `plainName`.
    init(_ workOut: @escaping @Sendable (_ plainName: String) -> Meaning) {
        self.workOut = workOut
    }

    /// Returns the meaning of a name as it is written.
    ///
    /// What is long or has digits is worked out each time: it may be no name, but a secret in the place
    /// of one, which is not to be kept.
    subscript(name: some StringProtocol) -> Meaning {
        guard name.utf8.count <= Self.longest, !name.utf8.contains(where: \.isDigit) else {
            return workOut(name.plainName)
        }
        let name = String(name)
        if let meaning = known.withLock({ $0[name] }) { return meaning }
        let meaning = workOut(name.plainName)
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            known[name] = meaning
        }
        return meaning
    }
}

extension StringProtocol {
    /// A name without what it may be written with: case, `_`, `-` and `.`.
    ///
    /// Letters that are not ASCII stay: no name that means anything has one.
    @inlinable public var plainName: String {
        String(unsafeUninitializedCapacity: utf8.count) { bytes in
            var count = 0
            for byte in utf8 where !byte.isLeftOutOfNames {
                bytes[count] = byte.asciiLowercased
                count += 1
            }
            return count
        }
    }
}

extension UInt8 {
    /// Whether a name means the same without the byte.
    @inlinable var isLeftOutOfNames: Bool {
        self == UInt8(ascii: "_") || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }
}
