import Tokens

/// Which logs have been written of a profile: a person puts them anywhere, and may want them gone
/// with the rest.
package struct LogRegister: Sendable {
    static let suffix = ".logs"
    private static let sizeLimit = 64 * 1024
    private static let countLimit = 100

    private let file: DataFile

    package init(_ location: VaultLocation) {
        file = DataFile(location.stem + Self.suffix, in: location.folder)
    }

    /// Absolute, the newest last.
    package var paths: [String] {
        guard case .array(let values)? = file.read(limit: Self.sizeLimit) else { return [] }
        return values.compactMap(\.stringValue).filter { $0.hasPrefix("/") }
    }

    /// Remembers a log.
    package func note(_ path: String) {
        guard paths.last != path else { return }
        write(paths.filter { $0 != path } + [path])
    }

    /// Remembers these and no others.
    package func write(_ paths: [String]) {
        guard !paths.isEmpty else { return file.remove() }
        file.write(.array(paths.suffix(Self.countLimit).map(JSONValue.string)))
    }
}
