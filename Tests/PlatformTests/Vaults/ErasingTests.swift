import Client
import Foundation
import Model
import Testing

@testable import Basics
@testable import Platform

@Suite("Erasing a record")
struct ErasingTests {
    @Test(
        "leaves nothing of it, whatever it is, with its locks and the key that nothing else needs",
        arguments: [true, false]
    )
    func nothingLeft(isDamaged: Bool) async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.full()))
            #expect(try await vault.lockFlight(holder: 1, timeout: .seconds(1)))
            await vault.unlockFlight(holder: 1)
            #expect(try bench.names.count == 4)
            if isDamaged { try bench.write([1, 2, 3], to: bench.record) }
            #expect(try await bench.vault().erase(if: nil))
            #expect(try bench.names == [])
            #expect(try await bench.vault().load() == nil)
            #expect(try await bench.vault().erase(if: nil))
        }
    }

    @Test("keeps the key where another record needs it, or may need it")
    func keyOfOthers() async throws {
        try await withVaults { bench async throws in
            let other = VaultLocation(profile: "other", baseURL: "http://h", folder: bench.folder)
            let keys = [KeyFile(folder: bench.folder)]
            let others = SealedVault.file(location: other, keys: keys, time: bench.time)
            for damage in [false, true] {
                _ = try await bench.vault().commit(.login(.signedIn()))
                _ = try await others.commit(.login(.signedIn()))
                if damage { try bench.write([1, 2, 3], to: other.recordPath) }
                _ = try await bench.vault().erase(if: nil)
                #expect(try bench.names.contains(KeyFile.name))
                if !damage { #expect(try await others.load() == .signedIn()) }
            }
            _ = try await others.erase(if: nil)
            #expect(try bench.names == [])
        }
    }

    @Test("a vault that has used the key before makes another one for its next record")
    func knownKey() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            _ = try await bench.vault().erase(if: nil)
            _ = try await vault.commit(.login(.signedIn()))
            #expect(try await bench.vault().load() == .signedIn())
        }
    }

    @Test("on a condition asks it of the record, and leaves one of which it is not so")
    func condition() async throws {
        try await withVaults { bench async throws in
            for vault in [MemoryVault(), bench.vault()] as [any Vault] {
                #expect(try await vault.erase { _ in true } == false)
                _ = try await vault.commit(.login(.tombstone()))
                #expect(try await vault.erase { $0.pair != nil } == false)
                #expect(try await vault.load() == .tombstone())
                #expect(try await vault.erase { $0.pair == nil })
                #expect(try await vault.load() == nil)
            }
            try FileManager.default.createDirectory(
                atPath: bench.folder,
                withIntermediateDirectories: true
            )
            _ = try await bench.vault().commit(.login(.signedIn()))
            try bench.write([1, 2, 3], to: bench.record)
            await #expect(throws: VaultProblem.self) {
                try await bench.vault().erase { _ in true }
            }
            #expect(try bench.bytes(bench.record) == [1, 2, 3])
        }
    }

    @Test("waits for a flight in progress, but not indefinitely: then its lock is left alone")
    func flight() async throws {
        for ends in [true, false] {
            try await withVaults { bench async throws in
                let other = bench.vault()
                _ = try await other.commit(.login(.signedIn()))
                #expect(try await other.lockFlight(holder: 1, timeout: .seconds(1)))
                let clock = VirtualTimekeeper()
                let keys = [KeyFile(folder: bench.folder)]
                let vault = SealedVault.file(location: bench.location, keys: keys, time: clock)
                let erasing = Task { try await vault.erase(if: nil) }
                await clock.waitForSleepers()
                #expect(try await other.load() == .signedIn())
                if ends { await other.unlockFlight(holder: 1) }
                clock.advance(by: .seconds(26))
                #expect(try await erasing.value)
                #expect(try bench.names == (ends ? [] : ["\(bench.location.stem).flight"]))
            }
        }
    }

    @Test("over and over leaves no record without its key, whatever logs in meanwhile")
    func race() async throws {
        try await withVaults { bench async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...4 {
                    let location = VaultLocation(
                        profile: "p\(number)",
                        baseURL: "http://h",
                        folder: bench.folder
                    )
                    group.addTask {
                        for _ in 1...25 {
                            let keys = [KeyFile(folder: bench.folder)]
                            let vault = SealedVault.file(
                                location: location,
                                keys: keys,
                                time: bench.time
                            )
                            _ = try await vault.commit(.login(.signedIn()))
                            let again = SealedVault.file(
                                location: location,
                                keys: keys,
                                time: bench.time
                            )
                            guard try await again.load() == .signedIn() else {
                                throw VaultProblem(message: "lost")
                            }
                            _ = try await again.erase(if: nil)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try bench.names == [])
        }
    }
}
