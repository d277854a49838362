import TOML

/// Dotted paths of keys into a JSON body.
enum KeyPath {
    static func check(
        _ path: String,
        at key: String,
        in table: SchemaTable
    ) throws(DialectError) {
        let keys = path.split(separator: ".", omittingEmptySubsequences: false)
        guard keys.count <= 16, !keys.contains(where: \.isEmpty) else {
            let expected = "expected keys joined by dots, such as data.accessToken"
            throw table.error(at: key, "\(path.quotedForError) is no key path", expected)
        }
    }

    /// One path, or nil where the key is absent.
    static func read(_ key: String, in table: SchemaTable) throws(DialectError) -> String? {
        guard let path = try table.string(key) else { return nil }
        try check(path, at: key, in: table)
        return path
    }

    static func readList(_ key: String, in table: SchemaTable) throws(DialectError) -> [String]? {
        guard let items = try table.strings(key) else { return nil }
        var paths: [String] = []
        for case .string(let path) in items.map(\.value) {
            try check(path, at: key, in: table)
            paths.append(path)
        }
        return paths
    }
}
