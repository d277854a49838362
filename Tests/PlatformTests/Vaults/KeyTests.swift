import Client
import Foundation
import Model
import Testing

@testable import Platform

@Suite("The key of a vault")
struct KeyTests {
    @Test("that is gone is missed; none is made in its place")
    func missing() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            let key = try bench.bytes(bench.key)
            try FileManager.default.removeItem(atPath: bench.key)
            for _ in 1...2 {
                let message = try await bench.vault().readingProblem()
                #expect(message.contains("its key is missing, expected in \(bench.key)"))
            }
            #expect(try await bench.vault().writingProblem().contains("its key is missing"))
            #expect(try bench.names.contains(KeyFile.name) == false)
            try Data(key).write(to: URL(filePath: bench.key))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: bench.key
            )
            #expect(try await bench.vault().load() == .signedIn())
        }
    }

    @Test("that is another one is told from damage")
    func other() async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            try bench.write(repeatElement(7, count: 32), to: bench.key)
            let message = try await bench.vault().readingProblem()
            #expect(message.contains("encrypted with another key than the one in \(bench.key)"))
        }
    }

    @Test("that is no key is told so", arguments: [0, 31, 33])
    func wrongSize(size: Int) async throws {
        try await withVaults { bench async throws in
            _ = try await bench.vault().commit(.login(.signedIn()))
            try bench.write(repeatElement(7, count: size), to: bench.key)
            let message = try await bench.vault().readingProblem()
            #expect(message.contains(bench.key))
            #expect(try await bench.vault().writingProblem().contains(bench.key))
        }
    }

    @Test("is one, however many want the first")
    func race() async throws {
        try await withVaults { bench async throws in
            let verdicts = try await withThrowingTaskGroup(of: CommitVerdict.self) { group in
                for number in 1...16 {
                    let location = VaultLocation(
                        profile: "p\(number)",
                        baseURL: "http://h",
                        folder: bench.folder
                    )
                    let keys = [KeyFile(folder: bench.folder)]
                    let vault = SealedVault.file(location: location, keys: keys, time: bench.time)
                    group.addTask { try await vault.commit(.login(.signedIn())) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(verdicts == Array(repeating: .committed, count: 16))
            for number in 1...16 {
                let location = VaultLocation(
                    profile: "p\(number)",
                    baseURL: "http://h",
                    folder: bench.folder
                )
                let keys = [KeyFile(folder: bench.folder)]
                let vault = SealedVault.file(location: location, keys: keys, time: bench.time)
                #expect(try await vault.load() == .signedIn())
            }
            #expect(try bench.names.filter { $0.hasSuffix(".tmp") } == [])
        }
    }
}
