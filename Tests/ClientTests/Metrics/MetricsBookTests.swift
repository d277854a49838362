import Basics
import Client
import FoundationEssentials
import Profiles
import Testing

@testable import Model

@Suite("What a monitor reads")
struct MetricsBookTests {
    /// The lines of a reading without comments.
    static func lines(
        _ events: [SessionEvent],
        after seconds: Double = 0,
        watching sessions: [(id: SessionID, profile: String)] = []
    ) -> [String] {
        var book = MetricsBook(watching: sessions)
        for event in events { book.apply(event) }
        var moment = events.last?.moment ?? Account().now
        moment.now = moment.now.advanced(bySeconds: seconds)
        moment.wall = moment.wall.addingTimeInterval(seconds)
        let reading = book.reading(version: "1.2.3", at: moment)
        return String(decoding: MetricsText.bytes(of: reading, as: .prometheus), as: UTF8.self)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    private static let failure = RefreshFailure(.unavailable(status: 503, detail: "busy"))

    @Test("counts renewals by what started them and how they ended, and times them")
    func renewals() {
        var account = Account()
        account.logIn(life: 20)
        account.add(RenewalPlanned(.scheduled(at: account.now.now, .accessTokenEnds)))
        account.wait(0.004)
        account.add(RenewalPlanned(.underWay), RefreshStarted(flight: 1, cause: .timer))
        account.wait(0.2)
        account.add(RefreshFailed(flight: 1, failure: Self.failure, attempt: 1, nextAt: nil))
        account.add(RefreshStarted(flight: 2, cause: .user))
        account.wait(3)
        account.renewed(flight: 2)
        let lines = Self.lines(account.events)
        for line in [
            #"authtop_renewals_total{profile="melchat",trigger="timer",outcome="transient"} 1"#,
            #"authtop_renewals_total{profile="melchat",trigger="timer",outcome="succeeded"} 0"#,
            #"authtop_renewals_total{profile="melchat",trigger="user",outcome="succeeded"} 1"#,
            #"authtop_renewal_duration_seconds_bucket{profile="melchat",le="0.1"} 0"#,
            #"authtop_renewal_duration_seconds_bucket{profile="melchat",le="0.25"} 1"#,
            #"authtop_renewal_duration_seconds_bucket{profile="melchat",le="+Inf"} 2"#,
            #"authtop_renewal_duration_seconds_count{profile="melchat"} 2"#,
            #"authtop_renewal_lateness_seconds_bucket{profile="melchat",le="0.001"} 0"#,
            #"authtop_renewal_lateness_seconds_bucket{profile="melchat",le="0.005"} 1"#,
            #"authtop_renewal_lateness_seconds_count{profile="melchat"} 1"#,
        ] {
            #expect(lines.contains(line), "\(line)\n\(lines.joined(separator: "\n"))")
        }
    }

    @Test("tells when tokens end, whether one may be used, and for how long there was none")
    func tokens() {
        var account = Account()
        account.logIn(life: 20)
        account.add(SessionStateChanged(from: .signingIn, to: .fresh, why: .login))
        let up = #"authtop_session_up{profile="melchat"} "#
        let without = #"authtop_without_token_seconds_total{profile="melchat"} "#
        let fresh = Self.lines(account.events, after: 19)
        #expect(fresh.contains(up + "1") && fresh.contains(without + "0.0"))
        let over = Self.lines(account.events, after: 25)
        #expect(over.contains(up + "0") && over.contains(without + "5.0"))
        #expect(over.contains(#"authtop_sessions{profile="melchat",state="fresh"} 1"#))
        account.add(SessionStateChanged(from: .fresh, to: .signedOut(.user), why: .logout))
        account.add(SignedOut(.user))
        let ended = Self.lines(account.events, after: 25)
        #expect(ended.contains(up + "0") && ended.contains(without + "0.0"))
        #expect(
            ended.contains(#"authtop_session_ends_total{profile="melchat",reason="user"} 1"#)
        )
        #expect(
            ended.contains(#"authtop_session_ends_total{profile="melchat",reason="revoked"} 0"#)
        )
    }

    @Test("sums up the sessions of one profile, and forgets those that are followed no longer")
    func population() {
        var accounts = (0..<1_000).map { number in
            var account = Account(session: SessionID("s\(number)"), profile: "acme")
            account.logIn(life: 20)
            if number % 10 > 0 {
                account.add(SessionStateChanged(from: .signingIn, to: .fresh, why: .login))
            }
            return account
        }
        let lines = Self.lines(accounts.flatMap(\.events))
        #expect(lines.contains(#"authtop_sessions{profile="acme",state="fresh"} 900"#))
        #expect(lines.contains(#"authtop_sessions{profile="acme",state="cold"} 100"#))
        #expect(lines.contains(#"authtop_sessions_usable{profile="acme"} 900"#))
        #expect(lines.contains(#"authtop_session_up{profile="acme"} 0"#))
        #expect(lines.contains(#"authtop_logins_total{profile="acme",outcome="succeeded"} 1000"#))
        #expect(lines.count < 100)
        let end = ForgottenSession(limit: 1, lastUsedAt: .origin, hasEnded: false)
        accounts[1].add(end)
        let others = Self.lines(accounts.flatMap(\.events))
        #expect(others.contains(#"authtop_sessions{profile="acme",state="fresh"} 899"#))
        #expect(others.contains(#"authtop_logins_total{profile="acme",outcome="succeeded"} 1000"#))
    }

    @Test("counts the sessions of the profiles beyond a hundred under one name, and says so")
    func profiles() {
        let events = (0..<150).flatMap { number in
            var account = Account(session: SessionID("p\(number)"))
            account.logIn(life: 20)
            return account.events
        }
        let lines = Self.lines(events)
        let names = Set(lines.compactMap { $0.firstMatch(of: /profile="([^"]*)"/)?.1 })
        #expect(names.count == MetricsBook.profileLimit + 1)
        #expect(lines.contains("authtop_unlisted_sessions_total 50"))
        #expect(lines.contains(#"authtop_logins_total{profile="other",outcome="succeeded"} 50"#))
    }

    @Test("counts each occurrence of a finding once, however often it is reported")
    func findings() {
        var account = Account(session: SessionID("1"), profile: "app")
        func add(_ number: Int, count: Int) {
            account.add(
                ObservedFinding(
                    number: number,
                    rule: "race",
                    severity: .bug,
                    confidence: .certain,
                    evidence: [],
                    message: "",
                    remedy: "",
                    firstAt: account.now,
                    lastAt: account.now,
                    count: count
                )
            )
        }
        add(1, count: 1)
        add(1, count: 1)
        add(1, count: 3)
        add(2, count: 1)
        #expect(
            Self.lines(account.events).contains(
                #"authtop_findings_total{profile="app",rule="race",severity="bug","#
                    + #"confidence="certain"} 4"#
            )
        )
    }

    @Test("says nothing of the tokens of an app, which may have left its session")
    func observed() {
        var account = Account(session: SessionID("1"), profile: "app")
        account.add(
            Capabilities(
                dialect: "none",
                title: "app",
                baseURL: "https://api.example.com",
                rotation: .maybe,
                logoutScopes: [],
                hasFeed: true,
                hasProtectedRequest: false,
                vault: "kept by the app",
                requestEvery: nil,
                role: .observed
            )
        )
        #expect(!Self.lines(account.events).contains { $0.hasPrefix("authtop_sessions{") })
        account.logIn(life: 20)
        account.add(SessionStateChanged(from: .cold, to: .fresh, why: .observed))
        #expect(
            Self.lines(account.events).contains(#"authtop_sessions{profile="app",state="fresh"} 1"#)
        )
        account.add(ObservedStatus.ended(.reuseDetected), SignedOut(.revoked))
        let lines = Self.lines(account.events, after: 100)
        #expect(!lines.contains { $0.hasPrefix("authtop_session_up") })
        #expect(!lines.contains { $0.hasPrefix("authtop_without_token") })
        let ends = lines.filter { $0.hasPrefix("authtop_session_ends") && !$0.hasSuffix(" 0") }
        #expect(
            ends == [#"authtop_session_ends_total{profile="app",reason="reuseDetected"} 1"#]
        )
    }

    @Test("is ready if each profile has a session that can be used, else says which has none")
    func readiness() {
        var account = Account(session: SessionID("a"))
        var book = MetricsBook(watching: [(account.id, "a"), (SessionID("b"), "b")])
        let names = { (moment: Moment) in book.unreadyProfiles(at: moment).map(\.name) }
        #expect(names(account.now) == ["a", "b"])
        account.logIn(life: 20)
        account.add(SessionStateChanged(from: .signingIn, to: .fresh, why: .login))
        for event in account.events { book.apply(event) }
        #expect(names(account.now) == ["b"])
        account.wait(21)
        #expect(names(account.now) == ["a", "b"])
        #expect(book.unreadyProfiles(at: account.now).last?.state == .cold)
    }

    @Test("reads one profile alone, and none that is not watched")
    func probe() throws {
        var account = Account(session: SessionID("a"))
        account.logIn(life: 20)
        var book = MetricsBook()
        for event in account.events { book.apply(event) }
        let reading = try #require(book.reading(of: "a", at: account.now))
        #expect(reading.families.allSatisfy { $0.metric.labels.first == "profile" })
        #expect(book.reading(of: "b", at: account.now) == nil)
    }
}
