import Client
import Foundation
import Model
import Platform
import TestSupport
import Testing

@Suite(
    "A disk that takes nothing",
    .enabled("mounting is not permitted") { await SmallDisk.isPossible }
)
struct DiskTests {
    @Test("because it is full is a problem in words; what was there stays, and room mends it")
    func full() async throws {
        try await onSmallDisk { bench, disk async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            try await disk.fill()
            let message = try await vault.writingProblem()
            #expect(message.contains("cannot write \(bench.record)"))
            #expect(message.contains(SmallDisk.message))
            #expect(try await vault.load() == .signedIn())
            #expect(try bench.names.filter { $0.hasSuffix(".tmp") } == [])
            try disk.makeRoom()
            #expect(try await vault.commit(.login(.full())) == .committed)
        }
    }

    @Test("because it is full lets a pair go all the same, and keeps what there is room for")
    func erased() async throws {
        try await onSmallDisk { bench, disk async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            try await disk.fill()
            #expect(try await vault.commit(.login(.tombstone())) == .committed)
            #expect(try await bench.vault().load() == .tombstone())
        }
    }

    @Test("because it is full lets go what the backend has been told of")
    func told() async throws {
        try await onSmallDisk { bench, disk async throws in
            let vault = bench.vault()
            var record = VaultRecord.tombstone()
            record.outbox.removeLast()
            let entry = try #require(record.outbox.first)
            _ = try await vault.commit(.login(record))
            try await disk.fill()
            let done = VaultCommit(record: record, condition: .outbox(done: entry.id))
            #expect(try await vault.commit(done) == .committed)
            #expect(try await bench.vault().load()?.outbox == [])
        }
    }

    @Test("because it is full, and what the pair leaves is taken at once, keeps nothing of it")
    func erasedOnly() async throws {
        try await onSmallDisk { bench, disk async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            try await disk.fill()
            // Larger than what it replaces: one page more than there is.
            var record = VaultRecord.tombstone()
            record.family = String(repeating: "x", count: 9000)
            guard case .erased(let problem) = try await vault.commit(.login(record)) else {
                Issue.record("it was written")
                return
            }
            #expect(problem.message.contains("No space left on device"))
            #expect(try await bench.vault().load() == nil)
            #expect(try bench.names.filter { $0.hasSuffix(".tmp") } == [])
        }
    }

    @Test("because it was full from the start leaves no key that is none")
    func fullFromTheStart() async throws {
        try await onSmallDisk { bench, disk async throws in
            try await disk.fill()
            _ = try await bench.vault().writingProblem()
            try disk.makeRoom()
            #expect(try await bench.vault().commit(.login(.full())) == .committed)
            #expect(try await bench.vault().load() == .full())
        }
    }

    @Test("because it may only be read is a problem in words, and reading goes on")
    func readOnly() async throws {
        try await onSmallDisk { bench, disk async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            try await Program.shell("mount -o remount,ro '\(bench.root)'")
            let message = try await vault.writingProblem()
            #expect(message.contains("Read-only file system; mount it writable"))
            #expect(try await bench.vault().load() == .signedIn())
            let lock = bench.path("\(bench.location.stem).flight")
            #expect(
                try await vault.lockingProblem().hasPrefix(
                    "cannot make \(lock): Read-only file system; mount it writable"
                )
            )
            try await Program.shell("mount -o remount,rw '\(bench.root)'")
            #expect(try await vault.commit(.login(.full())) == .committed)
        }
    }

    private func onSmallDisk(_ body: (VaultBench, SmallDisk) async throws -> Void) async throws {
        try await withVaults { bench async throws in
            let disk = try await SmallDisk(at: bench.root)
            do {
                try await body(bench, disk)
            } catch {
                await disk.stop()
                throw error
            }
            await disk.stop()
        }
    }
}
