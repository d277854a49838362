import FoundationEssentials
import Testing

/// The files that a reader opens first, and what they name.
@Suite("The documents")
struct DocumentTests {
    private static let top =
        "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    private struct Resolved: Decodable {
        struct Pin: Decodable {
            let identity: String
        }
        let pins: [Pin]
    }

    @Test("the README is a door: at most 120 lines and 8 KiB")
    func readme() throws {
        let file = try Self.file("README.md")
        #expect(file.data.count <= 8 * 1024)
        #expect(file.lines.count <= 121, "the last one is empty")
    }

    @Test(
        "each way in has at most eight lines in it",
        arguments: ["My app", "My backend", "My CI", "A demo"]
    )
    func doors(title: String) throws {
        let lines = try Self.file("README.md").lines
        let start = try #require(lines.firstIndex(of: "## \(title)"))
        let door = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        #expect(door.filter { !$0.isEmpty }.count <= 8, "the rest belongs on a page of its own")
    }

    @Test("every path in them exists")
    func paths() throws {
        let pattern = /(?:Sources|Tests|assets|\.ci|\.github)\/[A-Za-z0-9_.\/+-]+/
        let missing = try Self.places(matching: pattern) { path in
            // A file that a reader is told to add stands in a folder that exists.
            let parts = path.split(separator: "/").prefix { !Self.isExample($0) }
            let known = parts.joined(separator: "/").replacing(/\.$/, with: "")
            return FileManager.default.fileExists(atPath: "\(Self.top)/\(known)")
        }
        #expect(missing.isEmpty, "name the file or the folder as it is called now")
    }

    @Test("every file of Swift in them exists")
    func swiftFiles() throws {
        let files = try ["Sources", "Tests"].flatMap { try SourceTree($0).files }
        let names = Set(files.map(\.name)).union(["Package.swift"])
        let missing = try Self.places(matching: /`[A-Za-z+]+\.swift`/) { name in
            names.contains(String(name.dropFirst().dropLast())) || Self.isExample(name)
        }
        #expect(missing.isEmpty, "name the file as it is called now")
    }

    @Test("every suite and every target of tests in them exists")
    func suites() throws {
        let files = try SourceTree("Tests").files
        var names = Set(files.map(\.target))
        for line in files.flatMap(\.lines) where line.utf8.contains(UInt8(ascii: "{")) {
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(where: { $0 == "struct" || $0 == "class" }),
                index + 1 < words.count
            else { continue }
            names.insert(String(words[index + 1].prefix { $0.isLetter || $0.isNumber }))
        }
        let missing = try Self.places(matching: /`[A-Za-z][A-Za-z0-9]*Tests`/) { name in
            names.contains(String(name.dropFirst().dropLast()))
        }
        #expect(missing.isEmpty, "name the suite as it is called now")
    }

    @Test("assets/NOTICE names every package that the build resolves")
    func notices() throws {
        let notice = String(decoding: try Self.file("assets/NOTICE").data, as: UTF8.self)
        let resolved = try JSONDecoder().decode(
            Resolved.self,
            from: try Self.file("Package.resolved").data
        )
        #expect(!resolved.pins.isEmpty)
        let missing = resolved.pins.map(\.identity).filter { !notice.contains($0) }
        #expect(missing.isEmpty, "run .ci/notices after a build")
    }

    @Test("the suites of .ci/quick start no program and open no socket")
    func quick() throws {
        let script = try Self.file(".ci/quick").lines
        func list(_ name: String) throws -> Set<String> {
            let line = try #require(script.first { $0.hasPrefix("\(name)=(") }, "\(name)")
            let names = line.dropFirst(name.count + 2).dropLast().split(separator: " ")
            return Set(names.map(String.init))
        }
        let (targets, without) = (try list("targets"), try list("without"))
        let files = try SourceTree("Tests").files
        #expect(targets.isSubset(of: files.map(\.target)))
        #expect(without.isSubset(of: files.map { String($0.name.dropLast(".swift".count)) }))
        let offences = try SourceTree("Tests").places { file in
            targets.contains(file.target) && !without.contains(String(file.name.dropLast(6)))
        } where: { line in
            line.hasPrefix("import ")
                && ["TestSupport", "FeedTestSupport", "NIOPosix", "AsyncHTTPClient"].contains {
                    line.hasSuffix(" \($0)")
                }
        }
        #expect(offences.isEmpty, "leave the suite out in .ci/quick, or the program out of it")
    }

    @Test("a path that does not exist is found")
    func offencesAreFound() throws {
        let missing = try Self.places(matching: /README\.md/) { _ in false }
        #expect(!missing.isEmpty)
    }

    private static func isExample(_ name: some StringProtocol) -> Bool {
        name.contains("acme") || name.contains("Acme")
    }

    private static func file(_ path: String) throws -> SourceTree.File {
        let data = try #require(FileManager.default.contents(atPath: "\(top)/\(path)"), "\(path)")
        return SourceTree.File(path: path, data: data)
    }

    /// Matches in the documents, and in the scripts of `.ci`, that are not as they should be, as
    /// `path:line: text`.
    private static func places(
        matching pattern: Regex<Substring>,
        unless isRight: (Substring) -> Bool
    ) throws -> [String] {
        let pages = try ["Sources/authtop/authtop.docc", ".github"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: "\(top)/\(folder)")
                .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
        let scripts = try FileManager.default.contentsOfDirectory(atPath: "\(top)/.ci")
        return try (pages + ["README.md"] + scripts.map { ".ci/\($0)" }).flatMap { path in
            try file(path).lines.enumerated().flatMap { index, line in
                line.matches(of: pattern).filter { !isRight($0.output) }
                    .map { "\(path):\(index + 1): \($0.output)" }
            }
        }
    }
}
