import Client
import Foundation
import Model
import Testing

@testable import Platform

@Suite("A change of the vault by another program")
struct ChangeTests {
    /// The change of the record.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (VaultBench) async throws -> Void
    }

    @Test(
        "is reported",
        arguments: [
            Change(testDescription: "another vault writes") { bench in
                _ = try await bench.vault().commit(.login(.full()))
            },
            Change(testDescription: "the file is removed") { bench in
                try FileManager.default.removeItem(atPath: bench.record)
            },
            Change(testDescription: "the file is moved away") { bench in
                try FileManager.default.moveItem(atPath: bench.record, toPath: bench.root + "/x")
            },
            Change(testDescription: "the file is written in place") { bench in
                try bench.write(Array("x".utf8), to: bench.record)
            },
            Change(testDescription: "the folder is removed") { bench in
                try FileManager.default.removeItem(atPath: bench.folder)
            },
            Change(testDescription: "the folder is moved away") { bench in
                try FileManager.default.moveItem(atPath: bench.folder, toPath: bench.root + "/x")
            },
        ]
    )
    func reported(change: Change) async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            var changes = vault.changes().makeAsyncIterator()
            try await change.make(bench)
            #expect(await changes.next() != nil)
        }
    }

    @Test("is reported in a folder that was not there, or that was made again")
    func folderMadeLater() async throws {
        try await withVaults { bench async throws in
            var changes = bench.vault().changes().makeAsyncIterator()
            for _ in 1...2 {
                _ = try await bench.vault().commit(.login(.signedIn()))
                #expect(await changes.next() != nil)
                try FileManager.default.removeItem(atPath: bench.folder)
                #expect(await changes.next() != nil)
            }
        }
    }

    @Test("is reported after an own change, which is not")
    func own() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            let changes = vault.changes()
            let told = Task {
                var seen: [Int?] = []
                for await _ in changes {
                    seen.append(try await vault.load()?.pair?.generation)
                    if seen.last == 99 { break }
                }
                return seen
            }
            for generation in 2...20 {
                _ = try await vault.commit(.renewal(.signedIn(generation: generation)))
            }
            _ = try await bench.vault().commit(.renewal(.signedIn(generation: 99)))
            #expect(try await told.value == [99])
        }
    }

    @Test("to something else in the folder is no news; a memory has none at all")
    func elsewhere() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            let changes = vault.changes()
            let other = VaultLocation(profile: "other", baseURL: "http://h", folder: bench.folder)
            let theirs = SealedVault.file(
                location: other,
                keys: [KeyFile(folder: bench.folder)],
                time: bench.time
            )
            for epoch in 1...5 { _ = try await theirs.commit(.login(.signedIn(epoch: epoch))) }
            try FileManager.default.removeItem(atPath: bench.record)
            var count = 0
            for await _ in changes {
                count += 1
                if try await vault.load() == nil { break }
            }
            #expect(count == 1)
            for await _ in MemoryVault().changes() { Issue.record("nobody else can") }
        }
    }
}
