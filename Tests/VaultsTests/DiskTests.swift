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
            let words = try await vault.writingTrouble()
            #expect(words.contains("cannot write \(bench.record)"))
            #expect(words.contains("No space left on device; make room on the disk"))
            #expect(try await vault.load() == .signedIn())
            #expect(try bench.names.filter { $0.hasSuffix(".tmp") } == [])
            try FileManager.default.removeItem(atPath: "\(bench.root)/fill")
            #expect(try await vault.commit(.login(.full())) == .committed)
        }
    }

    @Test("because it was full from the start leaves no key that is none")
    func fullFromTheStart() async throws {
        try await onSmallDisk { bench async throws in
            #expect(try Command("cat /dev/zero >'\(bench.root)/fill'").status() != 0)
            _ = try await bench.vault().writingTrouble()
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
            let words = try await vault.writingTrouble()
            #expect(words.contains("Read-only file system; mount it writable"))
            #expect(try await bench.vault().load() == .signedIn())
            let lock = bench.path("\(bench.site.stem).flight")
            #expect(
                try await vault.lockingTrouble().hasPrefix(
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
