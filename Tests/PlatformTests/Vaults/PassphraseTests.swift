import Basics
import Client
import Foundation
import Glibc
import Model
import Testing

@testable import Platform

@Suite("The passphrase of a locked screen")
struct PassphraseTests {
    private static let right = Secret("correct horse battery")

    @Test("opens by itself and nothing else, from the file as well")
    func matches() async throws {
        try await withVaults { bench async throws in
            let file = PassphraseFile(folder: bench.location.folder)
            #expect(try file.read() == nil)
            try file.write(try await Passphrase(hashing: Self.right))
            let kept = try #require(try file.read())
            #expect(try await kept.matches(Self.right))
            for wrong in ["", "correct horse batter", "correct horse battery ", "x"] {
                #expect(try await kept.matches(Secret(wrong)) == false)
            }
        }
    }

    @Test("is only a salted hash in a file that no other user can read")
    func file() async throws {
        try await withVaults { bench async throws in
            let file = PassphraseFile(folder: bench.location.folder)
            try file.write(try await Passphrase(hashing: Self.right))
            let text = try String(contentsOfFile: file.path, encoding: .utf8)
            #expect(!text.contains("horse") && text.contains("scrypt"))
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[
                .posixPermissions
            ]
            #expect(mode as? Int == 0o600)
            try file.write(try await Passphrase(hashing: Self.right))
            #expect(try String(contentsOfFile: file.path, encoding: .utf8) != text)
        }
    }

    @Test(
        "a file that is damaged, too dear to check or open to others is told, not taken for none",
        arguments: [
            "{}", "not json", #"{"scrypt":{"n":32768,"r":8,"p":3},"salt":"AA","hash":"AA"}"#,
            #"{"scrypt":{"n":1073741824,"r":8,"p":3},"salt":"AAAAAAAAAAAAAAAAAAAAAA","hash":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
        ]
    )
    func damaged(text: String) async throws {
        try await withVaults { bench async throws in
            let file = PassphraseFile(folder: bench.location.folder)
            try file.write(try await Passphrase(hashing: Self.right))
            try Data(text.utf8).write(to: URL(filePath: file.path))
            chmod(file.path, 0o600)
            #expect(throws: VaultProblem.self) { try file.read() }
            chmod(file.path, 0o644)
            #expect(throws: VaultProblem.self) { try file.read() }
        }
    }
}

@Suite("The requests that the user wrote")
struct RequestsFileTests {
    @Test("are kept by method and path, each once, fifty of them, unreadable to other users")
    func kept() async throws {
        try await withVaults { bench async throws in
            let file = RequestsFile(bench.location)
            #expect(file.entries.isEmpty && !file.isThere)
            for number in 1...55 { await file.add(.init(method: "GET", path: "/\(number)")) }
            await file.add(.init(method: "GET", path: "/20"))
            #expect(file.entries.count == 50)
            #expect(file.entries.first?.path == "/6" && file.entries.last?.path == "/20")
            #expect(file.entries.count { $0.path == "/20" } == 1)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[
                .posixPermissions
            ]
            #expect(mode as? Int == 0o600)
        }
    }

    @Test("go with everything else that is kept of the profile")
    func forgotten() async throws {
        try await withVaults { bench async throws in
            let localData = ProfileData(location: bench.location, vault: bench.vault())
            await localData.requests.add(.init(method: "GET", path: "/a"))
            #expect(try await localData.eraseAll().isEmpty)
            #expect(!localData.requests.isThere)
        }
    }
}

@Suite("Erasing what is kept with a logout")
struct EraseAfterLogoutTests {
    private static let line = "info {\"profile\":\"voltyks\",\"n\":1}\n"

    @Test("leaves the record while the backend has to be told, and nothing after that")
    func outbox() async throws {
        try await withVaults { bench async throws in
            let localData = ProfileData(location: bench.location, vault: bench.vault())
            var record = VaultRecord.signedIn()
            _ = try await localData.vault.commit(.login(record))
            localData.statistics.write(#"{"renewed":1}"#, family: "f00d")
            await localData.requests.add(.init(method: "GET", path: "/a"))
            let owing = VaultRecord.tombstone()
            _ = try await localData.vault.commit(.login(owing))
            #expect(owing.outbox.isEmpty == false)
            let left = try await localData.eraseAfterLogout(whileWatched: false)
            #expect(left == ["the record, until the backend was notified of the logout"])
            #expect(!localData.statistics.isThere && !localData.requests.isThere)
            #expect(try await localData.vault.load() != nil)
            for entry in owing.outbox {
                record.pair = nil
                record.outbox = []
                let told = VaultCommit(record: record, condition: .outbox(done: entry.id))
                _ = try await localData.vault.commit(told)
            }
            #expect(try await localData.eraseAfterLogout(whileWatched: false) == [])
            #expect(try await localData.vault.load() == nil)
        }
    }

    @Test("never takes a record with a session")
    func alive() async throws {
        try await withVaults { bench async throws in
            let localData = ProfileData(location: bench.location, vault: bench.vault())
            _ = try await localData.vault.commit(.login(.signedIn()))
            _ = try await localData.eraseAfterLogout(whileWatched: false)
            #expect(try await localData.vault.load()?.pair != nil)
        }
    }

    @Test("keeps the file of a log that is being written, without its lines")
    func watched() async throws {
        try await withVaults { bench async throws in
            let localData = ProfileData(location: bench.location, vault: bench.vault())
            let log = bench.root + "/log"
            for isWatched in [true, false] {
                try Data(Self.line.utf8).write(to: URL(filePath: log))
                chmod(log, 0o600)
                localData.logs.record(log)
                #expect(try await localData.eraseAfterLogout(whileWatched: isWatched) == [])
                #expect(FileManager.default.fileExists(atPath: log) == isWatched)
                if isWatched { #expect(FileManager.default.contents(atPath: log) == Data()) }
                #expect(localData.logs.paths == (isWatched ? [log] : []))
            }
        }
    }
}

@Suite("Asking dashboards to lock")
struct LockRequestsTests {
    @Test("reaches who watches, each time, in a folder that was not there")
    func requests() async throws {
        try await withVaults { bench async throws in
            let requests = LockRequests(folder: bench.root + "/new/state")
            var heard = requests.requests().makeAsyncIterator()
            for _ in 1...3 {
                try requests.post()
                #expect(await heard.next() != nil)
            }
        }
    }
}
