import Backend
import Basics
import Model
import Profiles
import Testing

@testable import Observer

@Suite("A client that does everything right")
struct NoFalseAlarmTests {
    private static let policies: [ReusePolicy] = [
        .none, .strict, .strictRevokeFamily, .grace(seconds: 10), .graceForks(seconds: 10),
        .oldLivesUntilNewUsed,
    ]

    /// The fields that the sandbox's own answers lack.
    private static let sandbox: Set = ["no-store", "cookie-flags"]

    private static let rounds = 6

    private static func life(_ dialect: Dialect, _ reuse: ReusePolicy) throws -> GoodClient {
        var client = GoodClient(dialect, reuse)
        try client.logIn()
        for round in 1...rounds {
            for _ in 1...4 {
                client.wait(50)
                try client.use()
            }
            client.wait(35)
            // Requests that are in progress while the token is renewed.
            let early = client.request()
            switch round % 4 {
            case 0: try client.renewAfterFailure()
            case 1:
                // The token ends just before the request, which is refused.
                client.wait(65.5)
                try client.use()
            default: try client.renew()
            }
            if let early { try client.receive(early) }
            client.wait(1)
            try client.use()
        }
        try client.logOut()
        client.wait(30)
        try client.logIn()
        client.wait(10)
        try client.use()
        return client
    }

    @Test(
        "has a note of each answer that is lost, and nothing else, where the backend forgives that",
        arguments: Dialect.builtIn(),
        [ReusePolicy.none, .grace(seconds: 10), .graceForks(seconds: 10), .oldLivesUntilNewUsed]
    )
    func losses(dialect: Dialect, reuse: ReusePolicy) throws {
        var client = GoodClient(dialect, reuse)
        guard client.policy.rotation != .consumes, dialect.hasRefreshToken else { return }
        try client.logIn()
        for _ in 1...3 {
            client.wait(280)
            try client.renewAfterLoss()
            client.wait(1)
            try client.use()
        }
        for profile in [dialect, nil] {
            let run = ObservationRun(client.script, dialect: profile)
            let findings = run.findings.filter { !Self.sandbox.contains($0.rule) }
            #expect(findings.map(\.rule) == ["lost-answer"], "\(run.summary)")
            #expect(findings.map(\.severity) == [.note], "\(run.summary)")
            #expect(findings.map(\.count) == [3], "\(run.summary)")
        }
    }

    @Test(
        "has no finding in any dialect, under any policy of reuse, with a profile and without one",
        arguments: Dialect.builtIn(),
        policies
    )
    func quiet(dialect: Dialect, reuse: ReusePolicy) throws {
        let client = try Self.life(dialect, reuse)
        for profile in [dialect, nil] {
            let run = ObservationRun(client.script, dialect: profile)
            let findings = run.findings.filter { !Self.sandbox.contains($0.rule) }
            #expect(findings.isEmpty, "\(profile?.name ?? "none"): \(run.summary)")
            let families = run.machine.traffic.graph.families.values
            #expect(!families.isEmpty && families.allSatisfy { !$0.isJoined })
            // Where each use spends the refresh token, another login follows.
            if client.policy.rotation != .consumes {
                let longest = families.map(\.newest).max() ?? 0
                #expect(longest == Self.rounds + 1, "\(dialect.name): \(longest) generations")
            }
        }
    }
}
