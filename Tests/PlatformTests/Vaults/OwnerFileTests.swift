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
