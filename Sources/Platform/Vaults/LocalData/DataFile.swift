package import Basics
import FoundationEssentials
import Glibc

/// An optional JSON file beside a record; if it cannot be read, it counts as missing.
struct DataFile: Sendable {
    private let name: String
    private let folder: String

    init(_ name: String, in folder: String) {
        self.name = name
        self.folder = folder
    }

    var path: String { "\(folder)/\(name)" }

    /// When the file was last written, or `nil` if there is none.
    var writtenAt: Date? {
        guard let opened = try? PrivateFolder.open(folder) else { return nil }
        return opened.writtenAt(name)
    }

    func read(limit: Int) -> JSONValue? {
        guard let opened = try? PrivateFolder.open(folder),
            let bytes = try? opened.read(name, limit: limit)
        else { return nil }
        return JSONValue(parsing: bytes)
    }

    func remove() {
        guard let opened = try? PrivateFolder.open(folder) else { return }
        try? opened.remove(name)
    }

    /// Writes the file; the last writer wins, and each uses a temporary file of its own.
    func write(_ json: JSONValue) {
        guard let opened = try? PrivateFolder.make(folder) else { return }
        let bytes = Array((json.serialized + "\n").utf8)
        try? opened.replace(name, with: bytes, draft: String(getpid())) { _ in }
    }
}

/// The history of custom requests, with method and path only, since queries and bodies may contain
/// secrets.
package struct RequestsFile: Sendable {
    package struct Entry: Sendable, Hashable {
        package let method: String
        package let path: String

        package init(method: String, path: String) {
            self.method = method
            self.path = path
        }
    }

    static let suffix = ".requests"
    private static let countLimit = 50
    private static let sizeLimit = 512 * 1024

    private let file: DataFile

    init(_ location: VaultLocation) {
        file = DataFile(location.stem + Self.suffix, in: location.folder)
    }

    package var path: String { file.path }
    package var isThere: Bool { file.writtenAt != nil }

    /// The entries, at most 50, the newest last.
    package var entries: [Entry] {
        guard case .array(let values)? = file.read(limit: Self.sizeLimit) else { return [] }
        return values.suffix(Self.countLimit).compactMap { value in
            guard let method = value["method"]?.stringValue, let path = value["path"]?.stringValue
            else { return nil }
            return Entry(method: method, path: path)
        }
    }

    /// Adds an entry, replacing an equal one, on a separate thread.
    ///
    /// Failures are not reported, since nothing depends on the file.
    package func add(_ entry: Entry) async {
        await BlockingQueue().run {
            let entries = (entries.filter { $0 != entry } + [entry]).suffix(Self.countLimit)
            file.write(
                .array(
                    entries.map { ["method": .string($0.method), "path": .string($0.path)] }
                )
            )
        }
    }
}

/// The statistics of the last run that watched a session, stored beside the session's record; they
/// contain no secrets.
package struct StatisticsFile: Sendable {
    static let suffix = ".statistics"
    private static let sizeLimit = 64 * 1024

    private let file: DataFile

    init(_ location: VaultLocation) {
        file = DataFile(location.stem + Self.suffix, in: location.folder)
    }

    package var path: String { file.path }
    package var isThere: Bool { file.writtenAt != nil }

    /// Replaces the file.
    ///
    /// Failures are not reported, since the session does not depend on the file.
    ///
    /// - Parameters:
    ///   - json: One flat JSON object.
    ///   - family: The family of the session.
    package func write(_ json: String, family: String) {
        guard case .object(var members)? = JSONValue(parsing: Array(json.utf8)) else { return }
        members["family"] = .string(family)
        file.write(.object(members))
    }

    /// Returns the statistics of a session; empty if there are none, or if they are those of
    /// another session.
    package func read(family: String) -> [String: JSONValue] {
        guard case .object(var members)? = content,
            members.removeValue(forKey: "family") == .string(family)
        else { return [:] }
        members["statisticsAt"] = members.removeValue(forKey: "at")
        members["login"] = nil
        return members
    }

    /// The contents, regardless of the session.
    package var content: JSONValue? { file.read(limit: Self.sizeLimit) }
}
