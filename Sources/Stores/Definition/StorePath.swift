import Basics

/// The place of files on this machine, before its variables are known.
package struct StorePath: Sendable, Hashable {
    /// The folders of the XDG Base Directory Specification, which have a default.
    private static let defaults = [
        "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
    ]

    private enum Root: Sendable, Hashable {
        case home
        case variable(String)
        case system
    }

    package let text: String
    private let root: Root
    /// The names below it, in which `*` stands for any text.
    package let names: [KeyPattern]

    /// - Parameter text: `nil` is returned for a path with `..`, or from the working folder.
    package init?(_ text: String) {
        guard text.utf8.firstIndex(ofByte: 0) == nil else { return nil }
        self.text = text
        var parts = text.parts(at: "/", keepsEmpty: true)
        let first = parts.removeFirst()
        if first == "~" {
            root = .home
        } else if let name = first.part(after: "$"), !name.isEmpty,
            name.utf8.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "_") })
        {
            root = .variable(String(name))
        } else if first.isEmpty {
            root = .system
        } else {
            return nil
        }
        guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else { return nil }
        if case .variable = root {} else if parts.isEmpty { return nil }
        names = parts.map { KeyPattern(String($0)) }
    }

    /// Returns the folders or files at which the path begins: none if its variable in the environment
    /// is not set to absolute paths, and several if that is a list with colons.
    package func bases(in variables: [String: String]) -> [String] {
        func absolute(_ name: String) -> [String] {
            variables[name].map { $0.parts(at: ":") }?.filter { $0.begins(with: "/") }
                .map(String.init) ?? []
        }
        switch root {
        case .system: return [""]
        case .home: return absolute("HOME")
        case .variable(let name):
            let values = absolute(name)
            guard values.isEmpty, let folder = Self.defaults[name] else { return values }
            return absolute("HOME").map { "\($0)/\(folder)" }
        }
    }
}
