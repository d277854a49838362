import Client
import Foundation
import Model
import Platform
import Testing

@Suite("A token in a vault")
struct SecretsTests {
    @Test("is in no file: not as it is, not as base64, not as hexadecimal")
    func nowhere() async throws {
        try await withVaults { bench async throws in
            let vault = bench.vault()
            _ = try await vault.commit(.login(.full()))
            var files = try contents(bench)
            for generation in 8...12 {
                let renewed = VaultRecord.signedIn(generation: generation, epoch: 3)
                #expect(try await vault.commit(.renewal(renewed)) == .committed)
                files += try contents(bench)
            }
            #expect(try await vault.commit(.renewal(.identified(generation: 13))) == .committed)
            files += try contents(bench)
            #expect(files.count == 7 * 3)
            let keys = try [bench.bytes(bench.key)]
            for secret in [
                VaultRecord.access, VaultRecord.refresh, VaultRecord.owed, VaultRecord.captured,
                VaultRecord.idToken,
            ] {
                for file in files { #expect(Self.leaks(of: Array(secret.utf8), in: file) == false) }
            }
            for file in files where file != keys[0] {
                #expect(Self.leaks(of: keys[0], in: file) == false)
            }
        }
    }

    @Test("would be found in any of these forms")
    func found() throws {
        let secret = Array(VaultRecord.access.utf8)
        let around = Array("xyz".utf8)
        for shift in 0..<3 {
            let padded = around.prefix(shift) + secret + around
            let forms = [
                Array(padded), Array(Data(padded).base64EncodedString().utf8),
                Array(padded.map { String(format: "%02X", $0) }.joined().utf8),
            ]
            for form in forms { #expect(Self.leaks(of: secret, in: form)) }
        }
        #expect(Self.leaks(of: secret, in: Array("nothing to see".utf8)) == false)
    }

    private func contents(_ bench: VaultBench) throws -> [[UInt8]] {
        try bench.names.filter { !$0.hasSuffix(".flight") }.map { try bench.bytes(bench.path($0)) }
    }

    /// Whether any 12 bytes of a secret are there, in any form.
    private static func leaks(of secret: [UInt8], in file: [UInt8]) -> Bool {
        let text = String(decoding: file, as: Unicode.ASCII.self)
        let lower = text.lowercased()
        return (0...(secret.count - 12)).contains { start in
            let part = Data(secret[start..<(start + 12)])
            let hexadecimal = part.map { String(format: "%02x", $0) }.joined()
            // Twelve bytes are sixteen characters of base64, whichever third of it they begin in.
            let base64 = part.base64EncodedString()
            return Data(file).range(of: part) != nil || lower.contains(hexadecimal)
                || text.contains(base64)
                || text.contains(base64.replacing("+", with: "-").replacing("/", with: "_"))
        }
    }
}
