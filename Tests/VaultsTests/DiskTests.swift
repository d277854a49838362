import Foundation
import Lifecycle
import Testing
import Vaults

/// A small disk of a test's own.
private struct SmallDisk {
    /// Root on a machine that lets it mount; else these tests are shown as skipped.
    static let isPossible: Bool = {
        let path = "/tmp/authtop-\(UUID().uuidString.prefix(8).lowercased())"
        return
            (try? Command(
                "mkdir \(path) && \(mount(path)); r=$?; umount \(path); rmdir \(path); exit $r"
            ))?
            .status() == 0
    }()

    static func mount(_ path: String) -> String {
        "mount -t tmpfs -o size=64k,mode=700 tmpfs '\(path)'"
    }
}

@Suite("A disk that takes nothing", .enabled(if: SmallDisk.isPossible, "mounting is not permitted"))
struct DiskTests {
    @Test("because it is full is a problem in words; what was there stays, and room mends it")
    func full() async throws {
        try await onSmallDisk { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            #expect(try Command("cat /dev/zero >'\(bench.root)/fill'").status() != 0)
            let message = try await vault.writingProblem()
            #expect(message.contains("cannot write \(bench.record)"))
            #expect(message.contains("No space left on device; make room on the disk"))
            #expect(try await vault.load() == .signedIn())
            #expect(try bench.names.filter { $0.hasSuffix(".tmp") } == [])
            try FileManager.default.removeItem(atPath: "\(bench.root)/fill")
            #expect(try await vault.commit(.login(.full())) == .committed)
        }
    }

    @Test("because it is full lets a pair go all the same, and keeps what there is room for")
    func erased() async throws {
        try await onSmallDisk { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            #expect(try Command("cat /dev/zero >'\(bench.root)/fill'").status() != 0)
            #expect(try await vault.commit(.login(.tombstone())) == .committed)
            #expect(try await bench.vault().load() == .tombstone())
        }
    }

    @Test("because it is full lets go what the backend has been told of")
    func told() async throws {
        try await onSmallDisk { bench async throws in
            let vault = bench.vault()
            var record = VaultRecord.tombstone()
            record.outbox.removeLast()
            let entry = try #require(record.outbox.first)
            _ = try await vault.commit(.login(record))
            #expect(try Command("cat /dev/zero >'\(bench.root)/fill'").status() != 0)
            let done = VaultCommit(record: record, condition: .outbox(done: entry.id))
            #expect(try await vault.commit(done) == .committed)
            #expect(try await bench.vault().load()?.outbox == [])
        }
    }

    @Test("because it is full, and what the pair leaves is taken at once, keeps nothing of it")
    func erasedOnly() async throws {
        try await onSmallDisk { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            #expect(try Command("cat /dev/zero >'\(bench.root)/fill'").status() != 0)
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
        try await onSmallDisk { bench async throws in
            #expect(try Command("cat /dev/zero >'\(bench.root)/fill'").status() != 0)
            _ = try await bench.vault().writingProblem()
            try FileManager.default.removeItem(atPath: "\(bench.root)/fill")
            #expect(try await bench.vault().commit(.login(.full())) == .committed)
            #expect(try await bench.vault().load() == .full())
        }
    }

    @Test("because it may only be read is a problem in words, and reading goes on")
    func readOnly() async throws {
        try await onSmallDisk { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            #expect(try Command("mount -o remount,ro '\(bench.root)'").status() == 0)
            let message = try await vault.writingProblem()
            #expect(message.contains("Read-only file system; mount it writable"))
            #expect(try await bench.vault().load() == .signedIn())
            let lock = bench.path("\(bench.location.stem).flight")
            #expect(
                try await vault.lockingProblem().hasPrefix(
                    "cannot make \(lock): Read-only file system; mount it writable"
                )
            )
            #expect(try Command("mount -o remount,rw '\(bench.root)'").status() == 0)
            #expect(try await vault.commit(.login(.full())) == .committed)
        }
    }

    private func onSmallDisk(_ body: (VaultBench) async throws -> Void) async throws {
        try await withVaults { bench async throws in
            #expect(try Command(SmallDisk.mount(bench.root)).status() == 0)
            do {
                try await body(bench)
            } catch {
                try Command("umount -l '\(bench.root)'").status()
                throw error
            }
            #expect(try Command("umount -l '\(bench.root)'").status() == 0)
        }
    }
}
