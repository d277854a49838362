import Client
import Foundation
import Model
import Profiles
import Testing

@testable import Platform

@Suite("A record that is not as it was")
struct DamageTests {
    /// The advice to the user.
    static let advice = ["put a good copy back", "move it away", "put the right key back"]

    @Test("is a problem at every length that is not its own, and stays where it is")
    func truncated() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.full()))
            let whole = try bench.bytes(bench.record)
            for count in whole.indices {
                try bench.write(whole.prefix(count), to: bench.record)
                try await expectTrouble(vault, bench, stored: Array(whole.prefix(count)))
            }
            try bench.write(whole + [0], to: bench.record)
            try await expectTrouble(vault, bench, stored: whole + [0])
            try bench.write(whole, to: bench.record)
            #expect(try await vault.load() == .full())
        }
    }

    @Test("is a problem whichever byte is another, and stays where it is", arguments: [0x01, 0x80])
    func flipped(bit: UInt8) async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.full()))
            let whole = try bench.bytes(bench.record)
            for index in whole.indices {
                var other = whole
                other[index] ^= bit
                try bench.write(other, to: bench.record)
                try await expectTrouble(vault, bench, stored: other)
            }
        }
    }

    @Test("is never written over, not even by a login")
    func notOverwritten() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.full()))
            try bench.write(Array("nonsense".utf8), to: bench.record)
            let message = try await vault.writingProblem()
            #expect(message.contains("is not an authtop record"))
            #expect(try bench.bytes(bench.record) == Array("nonsense".utf8))
        }
    }

    @Test("is told apart when it is another profile's")
    func foreign() async throws {
        try await withVaults { bench async throws in
            let other = VaultLocation(profile: "melchat", baseURL: "http://h", folder: bench.folder)
            let theirs = SealedVault.file(
                location: other,
                keys: [KeyFile(folder: bench.folder)],
                time: bench.time
            )
            _ = try await theirs.commit(.login(.signedIn()))
            _ = try await bench.vault().commit(.login(.signedIn()))
            try bench.write(try bench.bytes(bench.path("\(other.stem).vault")), to: bench.record)
            let message = try await bench.vault().readingProblem()
            #expect(message.contains("belongs to melchat at http://h"))
            #expect(message.contains("move it away"))
        }
    }

    @Test("is told apart when a newer version wrote it")
    func newer() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            let text = String(decoding: try bench.bytes(bench.record), as: Unicode.ASCII.self)
            let head = text.prefix { $0 != "\n" }.replacing("\"schema\":1", with: "\"schema\":2")
            try bench.write(Array("\(head)\n".utf8), to: bench.record)
            let message = try await bench.vault().readingProblem()
            #expect(message.contains("another version of authtop (schema 2, expected 1)"))
        }
    }

    @Test("is not read when it is larger than a record can be")
    func huge() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            try bench.write(repeatElement(7, count: 1024 * 1024 + 1), to: bench.record)
            #expect(try await bench.vault().readingProblem().contains("more than authtop writes"))
        }
    }

    @Test("cannot be made larger than it could be read again")
    func tooLarge() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.signedIn()))
            var record = VaultRecord.signedIn(generation: 2)
            record.pair?.statements.displayName = String(repeating: "x", count: 1024 * 1024)
            await #expect(throws: VaultProblem.self) { try await vault.commit(.renewal(record)) }
            #expect(try await vault.load() == .signedIn())
        }
    }

    private func expectTrouble(
        _ vault: SealedVault,
        _ bench: VaultBench,
        stored: [UInt8]
    ) async throws {
        let message = try await vault.readingProblem()
        #expect(message.contains(bench.record))
        #expect(Self.advice.contains { message.contains($0) }, "\(message)")
        #expect(try bench.bytes(bench.record) == stored)
    }
}
