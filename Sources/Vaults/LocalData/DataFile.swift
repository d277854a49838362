import FoundationEssentials
import Glibc
import Tokens

/// A file of JSON beside a record, that nothing depends on: what cannot be read is not there.
struct DataFile: Sendable {
    private let name: String
    private let folder: String

    init(_ name: String, in folder: String) {
        self.name = name
        self.folder = folder
    }

    var path: String { "\(folder)/\(name)" }

    /// `nil` where there is none.
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

    /// Whoever writes last counts; each has a draft of its own.
    func write(_ json: JSONValue) {
        guard let opened = try? PrivateFolder.make(folder) else { return }
        let bytes = Array((json.serialized + "\n").utf8)
        try? opened.replace(name, with: bytes, draft: String(getpid())) { _ in }
    }
}
