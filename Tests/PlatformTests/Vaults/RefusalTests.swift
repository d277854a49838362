import Client
import Foundation
import Glibc
import Model
import Platform
import Testing

@Suite("Files that another user can change")
struct RefusalTests {
    /// The fault, with the text for the user.
    struct Wrong: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let message: String
        let make: @Sendable (VaultBench) throws -> Void

        init(
            _ name: String,
            says message: String,
            make: @escaping @Sendable (VaultBench) throws -> Void
        ) {
            testDescription = name
            self.message = message
            self.make = make
        }
    }

    static let nobody: uid_t = 65_534

    static let all: [Wrong] = [
        Wrong("a folder that others can write", says: "others can write it; run: chmod 700") {
            chmod($0.folder, 0o722)
        },
        Wrong("a folder that is a link", says: "links are not followed") {
            try move($0.folder, to: $0.root + "/elsewhere")
            symlink($0.root + "/elsewhere", $0.folder)
        },
        Wrong("a record that is a link", says: "links are not followed") {
            try move($0.record, to: $0.root + "/elsewhere")
            symlink($0.root + "/elsewhere", $0.record)
        },
        Wrong("a record that others can read", says: "others can read it; run: chmod 600") {
            chmod($0.record, 0o644)
        },
        Wrong("a record that others can write", says: "others can write it; run: chmod 600") {
            chmod($0.record, 0o620)
        },
        Wrong("a record that is a folder", says: "expected a file") {
            try move($0.record, to: $0.root + "/elsewhere")
            mkdir($0.record, 0o700)
        },
        Wrong("a record that is a pipe", says: "expected a file") {
            try move($0.record, to: $0.root + "/elsewhere")
            mkfifo($0.record, 0o600)
        },
        Wrong("a key that others can read", says: "others can read it; run: chmod 600") {
            chmod($0.key, 0o640)
        },
        Wrong("a key that is a link", says: "links are not followed") {
            try move($0.key, to: $0.root + "/elsewhere")
            symlink($0.root + "/elsewhere", $0.key)
        },
    ]

    /// Only root can give a file away.
    static let othersFiles: [Wrong] = [
        Wrong("a folder of another user", says: "belongs to another user") {
            chown($0.folder, nobody, nobody)
        },
        Wrong("a record of another user", says: "belongs to another user") {
            chown($0.record, nobody, nobody)
        },
        Wrong("a key of another user", says: "belongs to another user") {
            chown($0.key, nobody, nobody)
        },
    ]

    @Test("are refused for reading and for writing, and told what to do", arguments: all)
    func refused(wrong: Wrong) async throws {
        try await expectRefusal(of: wrong)
    }

    @Test(
        "of another user are refused",
        .enabled(if: geteuid() == 0, "only root can make them so"),
        arguments: othersFiles
    )
    func refusedFromOthers(wrong: Wrong) async throws {
        try await expectRefusal(of: wrong)
    }

    @Test("a lock that is a link is not taken")
    func lock() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            let lock = bench.path("\(bench.location.stem).lock")
            try Self.move(lock, to: bench.root + "/elsewhere")
            symlink(bench.root + "/elsewhere", lock)
            #expect(try await bench.vault().writingProblem().contains("links are not followed"))
        }
    }

    private func expectRefusal(of wrong: Wrong) async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            try wrong.make(bench)
            #expect(try await bench.vault().readingProblem().contains(wrong.message))
            #expect(try await bench.vault().writingProblem().contains(wrong.message))
        }
    }

    private static func move(_ from: String, to target: String) throws {
        try FileManager.default.moveItem(atPath: from, toPath: target)
    }
}
