import Client
import Foundation
import Model
import Platform
import Profiles
import Testing

@Suite("Vaults that write at the same time")
struct RaceTests {
    @Test("lose no change, and each commit sees the one before")
    func outboxes() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            let writers = 4
            let each = 25
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<writers {
                    let vault = bench.vault()
                    group.addTask { () async throws in
                        for number in 0..<each {
                            var record = VaultRecord.signedIn()
                            record.outbox = [.entry("\(writer)-\(number)")]
                            let commit = VaultCommit(record: record, condition: .outbox(done: nil))
                            #expect(try await vault.commit(commit) == .committed)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let ids = try await bench.vault().load()?.outbox.map(\.id) ?? []
            #expect(ids.count == writers * each)
            #expect(Set(ids).count == writers * each)
            #expect(try bench.names.filter { $0.hasSuffix(".tmp") } == [])
        }
    }

    @Test("never go back to an older pair, and a reader never sees half of one")
    func generations() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            let last = 40
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    let vault = bench.vault()
                    group.addTask {
                        for generation in 2...last {
                            _ = try await vault.commit(.renewal(.signedIn(generation: generation)))
                        }
                    }
                }
                group.addTask {
                    let vault = bench.vault()
                    var seen = 1
                    while seen < last {
                        let record = try #require(try await vault.load())
                        let generation = try #require(record.pair?.generation)
                        #expect(record == .signedIn(generation: generation))
                        #expect(generation >= seen)
                        seen = generation
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("go on after one that was stopped while writing")
    func leftover() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            let left = bench.path(".\(bench.location.stem).vault.tmp")
            try Data("half of a".utf8).write(to: URL(filePath: left))
            #expect(try await bench.vault().load() == .signedIn())
            #expect(try await bench.vault().commit(.login(.full())) == .committed)
            #expect(try await bench.vault().load() == .full())
            #expect(FileManager.default.fileExists(atPath: left) == false)
        }
    }
}

extension PendingRevocation {
    fileprivate static func entry(_ id: String) -> PendingRevocation {
        PendingRevocation(id: id, scope: .this, refresh: nil, access: nil, expiresAt: nil)
    }
}
