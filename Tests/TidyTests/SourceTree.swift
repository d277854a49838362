import FoundationEssentials

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The project's own Swift files, as text.
struct SourceTree {
    struct File {
        /// From the top of the project, such as `Sources/Basics/Secrets/Secret.swift`.
        let path: String
        let data: Data
        let lines: [String]
        /// The text with a zero at its end, up to the first one.
        private let terminated: [CChar]

        /// Whether the text is anywhere in the file.
        ///
        /// Much faster than a search of the lines, which are many, or of `Data`.
        func contains(_ text: String) -> Bool {
            terminated.withUnsafeBufferPointer { bytes in
                guard let start = bytes.baseAddress else { return false }
                return strstr(start, text) != nil
            }
        }

        init(path: String, data: Data) {
            self.path = path
            self.data = data
            terminated = data.map { CChar(bitPattern: $0) } + [0]
            lines = String(decoding: data, as: UTF8.self)
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }

        var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
        var name: String { path.split(separator: "/").last.map(String.init) ?? "" }
    }

    let files: [File]

    private static let sources = Result { try read("Sources") }
    private static let tests = Result { try read("Tests") }

    /// - Parameter folder: `Sources`, `Tests`, or a folder in one of them.
    /// - Throws: When the folder cannot be listed.
    init(_ folder: String) throws {
        let all = try (folder.hasPrefix("Sources") ? Self.sources : Self.tests).get()
        files = all.filter { $0.path.hasPrefix("\(folder)/") }
    }

    private static func read(_ folder: String) throws -> [File] {
        let top = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let root = "/" + top
        let manager = FileManager.default
        return try manager.subpathsOfDirectory(atPath: "\(root)/\(folder)")
            .filter { $0.hasSuffix(".swift") }
            .sorted()
            .map { path in
                let data = manager.contents(atPath: "\(root)/\(folder)/\(path)") ?? Data()
                return File(path: "\(folder)/\(path)", data: data)
            }
    }

    /// Where a line matches, as `path:line: text`.
    func places(
        in isIncluded: (File) -> Bool = { _ in true },
        where matches: (String) -> Bool
    ) -> [String] {
        files.filter(isIncluded).flatMap { file in
            file.lines.enumerated().compactMap { index, line in
                guard !line.utf8.drop(while: { $0 == UInt8(ascii: " ") }).starts(with: "//".utf8),
                    matches(line)
                else { return nil }
                return "\(file.path):\(index + 1): \(line.drop { $0 == " " })"
            }
        }
    }
}

/// The targets of the package, by its manifest.
enum Manifest {
    /// The targets of ours that each target depends on, by its name.
    ///
    /// - Throws: When the manifest cannot be read.
    static func dependencies() throws -> [String: Set<String>] {
        let top = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = try String(
            decoding: Data(contentsOf: URL(filePath: "/\(top)/Package.swift")),
            as: UTF8.self
        )
        let declaration =
            /\b(?<form>target|tests|\w+Target|systemLibrary)\(\s*(?:name: )?"(?<name>\w+)"(?:,\s*(?:dependencies: )?\[(?<list>[^\]]*)\])?/
        var targets: [String: Set<String>] = [:]
        for match in text.matches(of: declaration) {
            let name = String(match.name)
            let listed = (match.list ?? "").matches(of: /"(\w+)"/).map { String($0.1) }
            if match.form == "tests" {
                targets["\(name)Tests"] = Set(listed + [name])
            } else {
                targets[name] = Set(listed)
            }
        }
        return targets
    }
}
