import Foundation
import Model
import Testing

@testable import Platform

@Suite("The file of the runs that have the sessions of users")
struct OwnerFileTests {
    private static func claim(_ run: String, at now: Date) -> Ownership {
        Ownership(
            run: run,
            host: OwnerFile.host,
            process: 1,
            part: 1,
            partCount: 1,
            expiresAt: now.addingTimeInterval(30)
        )
    }

    private static func claim(_ run: String, in owners: OwnerFile) async throws -> Ownership? {
        try await owners.claim { Self.claim(run, at: $0) }
    }

    @Test("of many runs at once, one gets the sessions, and the next once it has given them up")
    func race() async throws {
        try await withVaults { bench in
            let group = VaultGroup(of: bench.location, time: bench.time)
            for round in 0..<3 {
                let runs = (0..<16).map { "\(round)-\($0)" }
                let winners = try await withThrowingTaskGroup(of: String?.self) { tasks in
                    for run in runs {
                        tasks.addTask {
                            let other = try await group.owners.change { table, now in
                                table.claim(Self.claim(run, at: now), at: now)
                            }
                            return other == nil ? run : nil
                        }
                    }
                    return try await tasks.reduce(into: [String]()) { all, run in
                        if let run { all.append(run) }
                    }
                }
                #expect(winners.count == 1)
                for run in winners {
                    try await group.owners.change { table, _ in table.release(run) }
                }
            }
            let path = bench.location.usersFolder + "/" + OwnerFile.name
            #expect(try bench.mode(path) == 0o600)
        }
    }

    @Test("a run has the sessions for as long as its lock says that it lives, and then another one")
    func killed() async throws {
        try await withVaults { bench in
            let group = VaultGroup(of: bench.location, time: bench.time)
            // As by a run that is killed: nothing is given up, and the system releases the lock.
            do {
                let first = group.owners
                #expect(try await Self.claim("first", in: first) == nil)
                let second = try await Self.claim("second", in: group.owners)
                #expect(second?.run == "first")
                withExtendedLifetime(first) {}
            }
            let third = group.owners
            #expect(try await Self.claim("third", in: third) == nil)
            #expect(try Self.locks(bench) == ["owner-third.lock"])
            try await third.release("third")
            #expect(try Self.locks(bench).isEmpty)
            #expect(try await Self.claim("fourth", in: group.owners) == nil)
        }
    }

    @Test(
        "a run of another machine, or whose lock is not to be seen, has them until its lease ends",
        arguments: [OwnerFile.kernel, "another", nil]
    )
    func unseen(kernel: String?) async throws {
        try await withVaults { bench in
            let group = VaultGroup(of: bench.location, time: bench.time)
            try await group.owners.change { table, now in
                var claim = Self.claim("first", at: now)
                claim.kernel = kernel
                _ = table.claim(claim, at: now)
            }
            if kernel != OwnerFile.kernel {
                let path = bench.location.usersFolder + "/owner-first.lock"
                #expect(FileManager.default.createFile(atPath: path, contents: nil))
            }
            let other = try await Self.claim("second", in: group.owners)
            #expect(other?.run == "first")
        }
    }

    private static func locks(_ bench: VaultBench) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: bench.location.usersFolder)
            .filter { $0.hasPrefix("owner-") }
    }

    @Test("that is damaged gives the sessions to nobody")
    func damaged() async throws {
        try await withVaults { bench in
            let owners = VaultGroup(of: bench.location, time: bench.time).owners
            try await owners.change { table, _ in table.release("") }
            try bench.write(Array("{".utf8), to: bench.location.usersFolder + "/" + OwnerFile.name)
            await #expect(throws: VaultProblem.self) {
                try await owners.change { table, now in
                    table.claim(Self.claim("a", at: now), at: now)
                }
            }
        }
    }
}
