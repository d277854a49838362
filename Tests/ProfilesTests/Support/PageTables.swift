/// The tables of a page of the documentation that describes a TOML file.
struct PageTables {
    /// The first column of each table below a heading such as ``### `[login]` ``, by the path in it; a
    /// heading or a cell may name several.
    private(set) var keys: [String: [String]] = [:]

    init(of page: String) {
        var paths: [String] = []
        for line in page.split(separator: "\n") {
            if line.hasPrefix("#") {
                paths = line == "### The top of the file" ? [""] : []
                paths += Self.codes(in: line).compactMap { code in
                    guard code.hasPrefix("[") else { return nil }
                    return String(code.drop { $0 == "[" }.prefix { $0 != "]" })
                }
                for path in paths { keys[path] = [] }
            } else if line.hasPrefix("| `") {
                let cell = line.dropFirst(2).prefix { $0 != "|" }
                for path in paths { keys[path]? += Self.codes(in: cell) }
            }
        }
    }

    private static func codes(in line: Substring) -> [String] {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }
}
