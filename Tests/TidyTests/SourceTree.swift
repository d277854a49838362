import FoundationEssentials

/// The project's own Swift files, as text.
struct SourceTree {
    struct File {
        /// From the top of the project, such as `Sources/Tokens/Secret.swift`.
        let path: String
        let lines: [String]

        var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
        var name: String { path.split(separator: "/").last.map(String.init) ?? "" }
    }

    let files: [File]

    /// Reads a folder.
    ///
    /// - Parameter folder: `Sources` or `Tests`.
    /// - Throws: When the folder cannot be listed.
    init(_ folder: String) throws {
        let top = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let root = "/" + top
        let manager = FileManager.default
        files = try manager.subpathsOfDirectory(atPath: "\(root)/\(folder)")
            .filter { $0.hasSuffix(".swift") }
            .sorted()
            .map { path in
                let data = manager.contents(atPath: "\(root)/\(folder)/\(path)") ?? Data()
                let text = String(decoding: data, as: UTF8.self)
                return File(
                    path: "\(folder)/\(path)",
                    lines: text.split(separator: "\n", omittingEmptySubsequences: false)
                        .map(String.init)
                )
            }
    }

    /// Where a line matches, as `path:line: text`.
    func places(
        in isIncluded: (File) -> Bool = { _ in true },
        where matches: (String) -> Bool
    ) -> [String] {
        files.filter(isIncluded).flatMap { file in
            file.lines.enumerated().compactMap { index, line in
                let code = line.drop { $0 == " " }
                guard !code.hasPrefix("//"), matches(line) else { return nil }
                return "\(file.path):\(index + 1): \(code)"
            }
        }
    }
}
