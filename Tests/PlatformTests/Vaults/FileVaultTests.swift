import Basics
import Client
import Foundation
import Model
import Profiles
import Testing

@testable import Platform

@Suite("A vault in a file")
struct FileVaultTests {
    @Test(
        "returns what was put in, when it is opened again",
        arguments: [VaultRecord.signedIn(), .full(), .tombstone()]
    )
    func keeps(record: VaultRecord) async throws {
        try await withVaults { bench async throws in
            #expect(try await bench.vault().load() == nil)
            #expect(try await bench.vault().commit(.login(record)) == .committed)
            #expect(try await bench.vault().load() == record)
        }
    }

    @Test("refuses a commit as the vault in memory does")
    func conditions() async throws {
        try await withVaults { bench async throws in
            for vault in [MemoryVault(), bench.vault()] as [any Vault] {
                let renewal = VaultCommit.renewal(.signedIn(generation: 2))
                #expect(try await vault.commit(renewal) == .superseded(by: nil))
                #expect(try await vault.load() == nil)
                _ = try await vault.commit(.login(.signedIn(generation: 3)))
                let verdict = try await vault.commit(renewal)
                #expect(verdict == .superseded(by: .signedIn(generation: 3)))
                _ = try await vault.commit(.login(.tombstone()))
                let late = try await vault.commit(.renewal(.signedIn(generation: 9)))
                #expect(late == .superseded(by: .tombstone()))
                #expect(try await vault.load() == .tombstone())
            }
        }
    }

    @Test("keeps what another process has not yet sent to the backend")
    func outbox() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.full()))
            _ = try await bench.vault().commit(.login(.signedIn(epoch: 4)))
            #expect(try await bench.vault().load()?.outbox == VaultRecord.full().outbox)
            let told = VaultCommit(record: .signedIn(), condition: .outbox(done: "1"))
            _ = try await bench.vault().commit(told)
            let record = try #require(try await bench.vault().load())
            #expect(record.outbox.map(\.id) == ["2"])
            #expect(record.epoch == 4)
        }
    }

    @Test("keeps a registered client through logins and logouts, and the first of two")
    func client() async throws {
        try await withVaults { bench async throws in
            for vault in [MemoryVault(), bench.vault()] as [any Vault] {
                let first = RegisteredClient(id: "1", secret: Secret("s1"), secretExpiresAt: 2000)
                let second = RegisteredClient(id: "2", secret: nil, secretExpiresAt: nil)
                #expect(try await vault.commit(.client(first, replacing: nil)) == .committed)
                #expect(try await vault.load()?.pair == nil)
                _ = try await vault.commit(.login(.signedIn()))
                _ = try await vault.commit(.renewal(.signedIn(generation: 2)))
                #expect(try await vault.load()?.client == first)
                #expect(try await vault.load()?.pair?.generation == 2)
                let late = try await vault.commit(.client(second, replacing: nil))
                guard case .superseded(let record?) = late else {
                    Issue.record("\(late)")
                    continue
                }
                #expect(record.client == first)
                _ = try await vault.commit(.login(.tombstone()))
                #expect(try await vault.load()?.client == first)
                #expect(try await vault.commit(.client(second, replacing: first)) == .committed)
                #expect(try await vault.load()?.client == second)
                #expect(try await vault.load()?.ending == VaultRecord.tombstone().ending)
            }
        }
    }

    @Test("keeps that the server has forgotten a client, and the session that it was for")
    func forgottenClient() async throws {
        try await withVaults { bench async throws in
            let client = RegisteredClient(id: "1", secret: nil, secretExpiresAt: nil)
            var forgotten = client
            forgotten.isForgotten = true
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            _ = try await vault.commit(.client(client, replacing: nil))
            #expect(try await vault.commit(.client(forgotten, replacing: client)) == .committed)
            let record = try #require(try await bench.vault().load())
            #expect(record.client?.isForgotten == true && record.client?.isOver(at: 0) == true)
            #expect(record.pair == VaultRecord.signedIn().pair)
        }
    }

    @Test("keeps its folder and files to itself")
    func modes() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            #expect(try bench.mode(bench.folder) == 0o700)
            let names = try bench.names
            #expect(names.count == 3)
            for name in names { #expect(try bench.mode(bench.path(name)) == 0o600) }
        }
    }

    @Test("has a file for each profile on each backend, whatever they are called")
    func names() throws {
        let names = [
            "a", "A", "ä", "a/b", "../a", ".", "..", "", "a b", "a\u{0}", "a\n",
            String(repeating: "x", count: 5_000), String(repeating: "x", count: 5_001),
        ]
        let stems = names.flatMap { name in
            ["http://127.0.0.1", "http://127.0.0.1/a"].map { base in
                VaultLocation(profile: name, baseURL: base, folder: "/").stem
            }
        }
        #expect(Set(stems).count == stems.count)
        for stem in stems {
            #expect(stem.utf8.count < 100)
            #expect(stem.hasPrefix(".") == false)
            #expect(
                stem.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
            )
        }
    }

    @Test("says where it is and what its key protects against")
    func place() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            #expect(vault.place.contains(bench.record))
            #expect(vault.place.contains("not against anyone who can read your files"))
            #expect(vault.notice?.contains(bench.key) == true)
            _ = try await vault.commit(.login(.signedIn()))
            #expect(bench.vault().notice == nil)
        }
    }
}
