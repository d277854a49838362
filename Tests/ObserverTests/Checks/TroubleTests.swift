import Backend
import Basics
import Foundation
import Model
import Profiles
import Testing

@testable import Observer

@Suite("A check of a backend in trouble")
struct TroubleTests {
    static let policies: [ReusePolicy] = [
        .strict, .strictRevokeFamily, .grace(seconds: 10), .graceForks(seconds: 10),
        .oldLivesUntilNewUsed,
    ]

    /// Runs a check, and expects the right policy, or none.
    private func run(
        _ reuse: ReusePolicy,
        _ trouble: VirtualTrouble
    ) throws -> (report: CheckReport, seconds: Double, alive: Int) {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        var policy = BackendPolicy(of: dialect, refreshLifetime: 600, reuse: reuse)
        policy.rotation = .replaces
        var check = VirtualCheck(dialect: dialect, policy: policy)
        check.trouble = trouble
        let result = check.run()
        let expected = Subject(dialect: dialect, policy: policy).expected
        switch result.report.policy.name {
        case .named(let verdict): #expect(verdict == expected)
        case .possible(let verdicts): #expect(verdicts.contains(expected))
        case .inconclusive: break
        }
        return result
    }

    @Test(
        "sends no login after one that was refused, and logs its sessions out",
        arguments: policies
    )
    func refusedLogin(reuse: ReusePolicy) throws {
        for limit in [1, 7] {
            let (report, _, alive) = try run(reuse, VirtualTrouble(loginLimit: limit))
            #expect(report.failure == nil)
            // Another one may have been in progress.
            let refused = report.exchanges.count { $0.action.isLogin && $0.isRefusal }
            #expect((1...2).contains(refused))
            #expect(alive == 0 && report.sessions.left == 0, "\(limit)")
        }
    }

    @Test(
        "takes 409 and 422 for no refusal of a good token, and for one of a bad token",
        arguments: [409, 422]
    )
    func unprocessable(status: Int) throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let moment = Moment(now: .origin, wall: Date(timeIntervalSince1970: 0))
        func outcome(_ action: CheckAction) -> ExchangeOutcome {
            ProbeAnswer(
                .answered(WireResponse(status: status)),
                of: action,
                in: dialect,
                credentials: [:],
                hiding: KnownSecrets(),
                sentAt: moment,
                endedAt: moment
            ).outcome
        }
        #expect(outcome(.use(nil, family: 1)) == .accepted)
        for token in BadToken.allCases {
            #expect(outcome(.useWith(token)) == .refused(message: nil))
        }
    }

    @Test("names the logout of a live session that is refused, and concludes nothing from it")
    func refusedLogout() throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        for isRefused in [true, false] {
            var check = VirtualCheck(
                dialect: dialect,
                policy: BackendPolicy(of: dialect, refreshLifetime: 600, reuse: .strict)
            )
            check.options.probes = [.login, .logout]
            check.trouble.refusesLogouts = isRefused
            let verdicts = check.run().report.verdicts
            #expect(verdicts.contains(.logoutRefused(status: 401)) == isRefused, "\(verdicts)")
            let concludes = verdicts.contains { if case .logout = $0 { true } else { false } }
            #expect(concludes != isRefused, "\(verdicts)")
        }
    }

    @Test("does not take refresh tokens that are made of the second for one that stays")
    func tokensOfTime() throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        for probes in [CheckOptions().probes, [.reuse]] {
            var check = VirtualCheck(
                dialect: dialect,
                policy: BackendPolicy(of: dialect, refreshLifetime: 600, reuse: ReusePolicy.none)
            )
            check.options.probes = probes
            check.trouble.makesTokensOfTime = true
            let report = check.run().report
            switch report.policy.name {
            case .named(let verdict): #expect(verdict == .reusable)
            case .possible(let verdicts): #expect(!verdicts.contains(.fixed))
            case .inconclusive(let obstacle):
                #expect(obstacle == .contradictory && probes == [.reuse])
            }
            if probes.contains(.refresh) {
                #expect(report.verdicts.contains(.rotation(.replaces)))
            }
        }
    }

    @Test("of refresh tokens that are refused at their first use, nothing else is said")
    func refusedRefreshes() throws {
        let report = try run(.strict, VirtualTrouble(refusesRefreshes: true)).report
        #expect(report.policy.name == .inconclusive(.refreshRefused))
        let verdicts = report.verdicts
        #expect(verdicts.contains(.refreshRefused(status: 400, code: "invalid_grant")))
        for probe in report.probes where [.reuse, .depth, .race, .lost].contains(probe.name) {
            #expect(probe.state == .skipped(.refreshRefused), "\(probe.name)")
        }
        let logouts = verdicts.compactMap { verdict in
            if case .logout(let verdict) = verdict { verdict } else { nil }
        }
        #expect(logouts.map(\.refreshLives) == [nil])
        #expect(logouts.map(\.othersLive) == [true])
    }

    @Test(
        "of access tokens that are refused from the beginning, no end is claimed",
        arguments: [
            ("insufficient_scope", .challenged(code: "insufficient_scope")),
            (
                "insufficient_user_authentication",
                .challenged(code: "insufficient_user_authentication")
            ),
            ("invalid_token", .newAccessRefused(status: 401)),
        ] as [(String, Verdict)]
    )
    func refusedAccess(error: String, verdict: Verdict) throws {
        let report = try run(.strict, VirtualTrouble(protectedError: error)).report
        #expect(report.policy.verdict == .strict)
        let verdicts = report.verdicts
        #expect(verdicts.contains(verdict), "\(verdicts)")
        #expect(verdicts.contains(.rotation(.replaces)))
        #expect(!verdicts.contains(.oldAccess(lives: false)))
        let logouts = verdicts.compactMap { verdict in
            if case .logout(let verdict) = verdict { verdict } else { nil }
        }
        #expect(logouts == [LogoutVerdict(refreshLives: false, othersLive: true)])
    }

    @Test("waits until the date that a limit states, by the server's clock")
    func limitUntilDate() throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let moment = Moment(now: .origin, wall: Date(timeIntervalSince1970: 0))
        let answer = ProbeAnswer(
            .answered(
                WireResponse(
                    status: 429,
                    headers: [
                        WireHeader("Date", "Sun, 06 Nov 1994 08:49:30 GMT"),
                        WireHeader("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"),
                    ]
                )
            ),
            of: .use(nil, family: 1),
            in: dialect,
            credentials: [:],
            hiding: KnownSecrets(),
            sentAt: moment,
            endedAt: moment
        )
        #expect(answer.unclear == .rateLimited(seconds: 7))
    }

    @Test("fails if the first login is refused")
    func rejected() throws {
        let (report, _, _) = try run(.strict, VirtualTrouble(loginLimit: 0))
        #expect(report.failure == .loginRejected(status: 401, message: nil))
        #expect(report.sent.logins == 1)
    }

    @Test(
        "takes 429 on every other request for no refusal, and counts what it leaves",
        arguments: policies
    )
    func limited(reuse: ReusePolicy) throws {
        let (report, _, alive) = try run(reuse, VirtualTrouble(limitsEveryOther: true))
        #expect(alive <= report.sessions.left)
    }

    @Test("ends, and counts what it leaves, where nothing listens any longer", arguments: policies)
    func gone(reuse: ReusePolicy) throws {
        for limit in [0, 2, 30] {
            let (report, seconds, alive) = try run(reuse, VirtualTrouble(requestLimit: limit))
            #expect(seconds < 300, "\(limit)")
            #expect(alive <= report.sessions.left, "\(limit)")
            if limit == 0 { #expect(report.failure == .unreachable(detail: "connection refused")) }
        }
    }
}
