import Tokens

/// The requests that a person wrote, by method and path: no query and no body, which may hold
/// anything.
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

    package init(_ location: VaultLocation) {
        file = DataFile(location.stem + Self.suffix, in: location.folder)
    }

    package var path: String { file.path }
    package var isThere: Bool { file.writtenAt != nil }

    /// At most 50, the newest last.
    package var entries: [Entry] {
        guard case .array(let values)? = file.read(limit: Self.sizeLimit) else { return [] }
        return values.suffix(Self.countLimit).compactMap { value in
            guard let method = value["method"]?.stringValue, let path = value["path"]?.stringValue
            else { return nil }
            return Entry(method: method, path: path)
        }
    }

    /// Adds an entry, which is there once, on a thread of its own.
    ///
    /// Nobody is told when that fails: nothing depends on it.
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
