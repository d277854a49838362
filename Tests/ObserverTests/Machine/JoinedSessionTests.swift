import FoundationEssentials
import Profiles
import Testing

@testable import Basics
@testable import Model
@testable import Observer

@Suite("Sessions that were in use before their traffic was seen")
struct JoinedSessionTests {
    /// A token that was issued `age` seconds before the script begins, by a clock that is `ahead`.
    private static func token(age: Double, life: Double, ahead: Double = 0) -> String {
        let issuedAt = TrafficScript.moment(0).wall.timeIntervalSince1970 - age + ahead
        return TrafficScript.webToken([
            "sub": "ada", "iat": .number(issuedAt), "exp": .number(issuedAt + life),
        ])
    }

    private static func date(_ script: TrafficScript, ahead: Double) -> WireHeader {
        WireHeader("Date", HTTPDate.format(script.now.wall.addingTimeInterval(ahead)))
    }

    private static func pairs(_ run: ObservationRun) -> [(pair: PairDescription, at: Moment)] {
        run.events.compactMap { event in
            guard let pair = (event.kind as? TokensIssued)?.pair else { return nil }
            return (pair, event.moment)
        }
    }

    @Test("its token ends as it says, by the clock of its backend", arguments: [-40.0, 0, 40])
    func end(ahead: Double) throws {
        var script = TrafficScript()
        let bearer = Self.token(age: 200, life: 300, ahead: ahead)
        for _ in 1...2 {
            let exchange = script.send("GET", "/items", bearer: bearer)
            script.finish(exchange, 200, ["items": []], headers: [Self.date(script, ahead: ahead)])
            script.wait(1)
        }
        let run = ObservationRun(script, after: 0)
        let (pair, _) = try #require(Self.pairs(run).first)
        #expect(Self.pairs(run).count == 1)
        let deadline = try #require(pair.accessExpiry)
        #expect(abs(deadline.statedEnd.seconds(since: TrafficScript.moment(100).now)) <= 2)
        #expect(deadline.statedLifetime == 300)
        #expect(deadline.expiry.source == .webTokenExpiry)
        #expect(deadline.expiry.mismatch.isEmpty)
        let session = SessionBook(folding: run.events)[SessionID("1")]
        #expect(session.observed.status == .live(until: deadline.statedEnd))
        let offset = try #require(session.serverOffset)
        #expect(abs(offset.likelyMiddle - ahead) <= 1)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test("it expires without another request")
    func expiry() throws {
        var script = TrafficScript()
        let exchange = script.send("GET", "/items", bearer: Self.token(age: 200, life: 300))
        script.finish(exchange, 200, headers: [Self.date(script, ahead: 0)])
        let run = ObservationRun(script, after: 110)
        let session = SessionBook(folding: run.events)[SessionID("1")]
        #expect(session.observed.status == .expired)
    }

    @Test("without an answer its token ends by authtop's clock, a second later")
    func unanswered() throws {
        var script = TrafficScript()
        _ = script.send("GET", "/poll", bearer: Self.token(age: 200, life: 300))
        script.wait(30)
        let run = ObservationRun(script, after: 0)
        let (pair, moment) = try #require(Self.pairs(run).first)
        #expect(moment.now == TrafficScript.moment(1).now)
        #expect(pair.accessExpiry?.expiry.skewWidth == Expiry.unknownSkewWidth)
    }

    @Test("a token that says nothing is announced at once, and its end stays unknown")
    func opaque() throws {
        var script = TrafficScript()
        script.call(1)
        let run = ObservationRun(script, after: 0)
        let (pair, moment) = try #require(Self.pairs(run).first)
        #expect(moment.now == TrafficScript.moment(0).now)
        #expect(pair.accessExpiry == nil)
        let session = SessionBook(folding: run.events)[SessionID("1")]
        #expect(session.observed.status == .joined)
    }

    @Test("an end that cannot be used is told")
    func unusable() throws {
        var script = TrafficScript()
        let claims: JSONValue = ["sub": "ada", "exp": .number(1_763_733_900_000)]
        let exchange = script.send("GET", "/items", bearer: TrafficScript.webToken(claims))
        script.finish(exchange, 200)
        let (pair, _) = try #require(Self.pairs(ObservationRun(script)).first)
        #expect(pair.accessExpiry == nil)
        #expect(pair.unusableExpiries.access.map(\.problem) == [.milliseconds])
    }

    @Test("a refresh token that no answer replaces is known by what it is")
    func keptRefreshToken() throws {
        var script = TrafficScript()
        let refresh = Self.token(age: 200, life: 3_600)
        for number in 1...2 {
            let exchange = script.send(
                "POST",
                "/auth/refresh",
                json: ["refresh_token": .string(refresh)]
            )
            script.finish(exchange, 200, TrafficScript.pair(number, refresh: false))
            script.wait(290)
        }
        let run = ObservationRun(script, after: 0)
        let pairs = Self.pairs(run).map(\.pair)
        #expect(pairs.map(\.rotated) == [false, false])
        for pair in pairs {
            let token = try #require(pair.refresh)
            #expect(token.byteCount == refresh.utf8.count)
            #expect(token.format == .webToken(algorithm: "HS256"))
            let end = try #require(pair.refreshExpiry?.statedEnd)
            #expect(abs(end.seconds(since: TrafficScript.moment(3_400).now)) <= 5)
        }
        #expect(run.machine.traffic.graph.families.count == 1)
    }

    @Test("of a login, too, the refresh token that is kept stays what it was")
    func keptSinceLogin() throws {
        var script = TrafficScript()
        script.logIn()
        for number in 2...3 {
            script.wait(290)
            let exchange = script.askRefresh(1)
            script.finish(exchange, 200, TrafficScript.pair(number, refresh: false))
        }
        let tokens = Self.pairs(ObservationRun(script)).map(\.pair.refresh)
        #expect(tokens.count == 3)
        #expect(Set(tokens).count == 1)
        #expect(tokens[0]?.byteCount == TrafficScript.refresh(1).utf8.count)
    }

    @Test("a refresh token that began a session belongs to it when it is spent")
    func spentAtStart() throws {
        var script = TrafficScript()
        let first = script.renew(1)
        script.wait(60)
        let again = script.askRefresh(1)
        script.finish(again, 401, ["error": "spent"])
        let run = ObservationRun(script)
        let spent = try #require(
            run.findings.first { $0.rule == "spent-refresh" },
            "\(run.summary)"
        )
        #expect(spent.exchanges == [first, again])
        #expect(run.machine.traffic.graph.families.count == 1)
    }
}
