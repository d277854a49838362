import Foundation
import Glibc
import TestSupport
import Testing

/// Not at the moments that are known, but at any.
@Suite("A renewal that is killed at random", .programs)
struct RandomKillTests {
    /// A reuse policy of the sandbox.
    enum Reuse: String, CaseIterable, Sendable {
        case strict
        case strictRevoke = "strict-revoke"
        case grace
    }

    /// The results of the sessions whose programs were killed.
    private struct Tally {
        var kills = 0
        /// Programs that had ended before.
        var tooLate = 0
        var renewedAgain = 0
        var lost = 0
        var misnamed: [String] = []
    }

    @Test(
        "leaves a session that lives, or whose loss is named for what it is; in grace none is lost",
        arguments: KillCount.guides,
        Reuse.allCases
    )
    func anywhere(guide: Guide, reuse: Reuse) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox(
                "--access-ttl",
                "30m",
                "--reuse",
                reuse.rawValue,
                "--faults",
                "delay:refresh:seconds=0.05"
            )
            let session = try await StoredSession(
                on: bench,
                guide: guide,
                sandbox: sandbox,
                name: "one"
            )
            let length = try await lengthOfRenewal(session)
            var tally = Tally()
            while tally.kills < KillCount.atRandom {
                try await kill(session, within: length, &tally)
            }
            print(
                "random kills, \(guide.rawValue), \(reuse.rawValue): \(tally.kills) kills, "
                    + "\(tally.renewedAgain) renewed again, \(tally.lost) lost and named, "
                    + "\(tally.misnamed.count) otherwise; \(tally.tooLate) ended before"
            )
            #expect(tally.misnamed == [])
            #expect(tally.renewedAgain + tally.lost == tally.kills)
            if reuse == .grace { #expect(tally.lost == 0) }
            let sessions = try await sandbox.report().sessions(of: guide)
            // Each loss is followed by one login, and nothing else is.
            #expect(sessions.count == 1 + tally.lost)
        }
    }

    /// The longest of a few undisturbed renewals, in seconds.
    private func lengthOfRenewal(_ session: StoredSession) async throws -> Double {
        var longest = 0.0
        for _ in 1...3 {
            let begin = ContinuousClock.now
            let refresh = try session.operation("refresh")
            #expect(try await refresh.ended() == .exit(0), "\(refresh.errors.text)")
            longest = max(longest, (ContinuousClock.now - begin) / .seconds(1))
        }
        return longest
    }

    /// Kills one renewal, and looks at what is left with the next.
    private func kill(
        _ session: StoredSession,
        within length: Double,
        _ tally: inout Tally
    ) async throws {
        let victim = try session.operation(
            "refresh",
            killedAfter: Double.random(in: 0.001...length)
        )
        guard try await victim.ended() == .exit(128 + SIGKILL) else {
            tally.tooLate += 1
            return
        }
        tally.kills += 1
        // The sandbox may still delay the request of the program that was killed, which would come
        // after that of the next program. It delays this one as long.
        let path = "/\(session.guide.rawValue)\(session.guide.refreshPath)"
        _ = try await HandMadeRequest(method: "POST", target: path).send(to: session.sandbox.port)
        let next = try session.json("refresh")
        if try await next.ended() == .exit(0) {
            tally.renewedAgain += 1
            return
        }
        let events = try EventStream(next.output).events
        let reasons = Set(
            events.filter { ["draining", "signedOut"].contains($0.kind) }
                .map { $0.text("reason") ?? "" }
        )
        if next.ending == .exit(1), reasons == ["lostRotation"] {
            tally.lost += 1
        } else {
            tally.misnamed.append("\(reasons): \(next.errors.text)")
        }
        let login = try session.operation("login", with: session.guide.credentials)
        #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
    }
}

extension StoredSession {
    /// Starts a command that is killed after this many seconds.
    fileprivate func operation(_ command: String, killedAfter seconds: Double) throws -> Program {
        bench.keep(
            try Program(
                "/usr/bin/timeout",
                ["--foreground", "-s", "KILL", "\(seconds)", Authtop.path, command] + arguments,
                environment: bench.environment.merging(variables) { $1 }
            )
        )
    }

    /// Starts a command that prints its events.
    fileprivate func json(_ command: String) throws -> Program {
        try bench.authtop([command] + arguments + ["--json"], with: variables)
    }
}
