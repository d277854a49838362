import Basics
import Foundation
import Profiles
import Testing

@testable import Model
@testable import Observer

@Suite("Tokens in several places at once")
struct TokenPlaceTests {
    private static let cookieFlags = "; HttpOnly; Secure; SameSite=Lax; Path=/"

    private static func set(_ name: String, _ value: String, life: Int? = nil) -> WireHeader {
        let age = life.map { "; Max-Age=\($0)" } ?? ""
        return WireHeader("Set-Cookie", "\(name)=\(value)\(age)\(cookieFlags)")
    }

    private static func cookies(_ pairs: [(String, String)]) -> WireHeader {
        WireHeader("Cookie", pairs.map { "\($0)=\($1)" }.joined(separator: "; "))
    }

    // MARK: - What a refresh token is presented for

    @Test(
        "a refresh token is presented not only to renew: at once in two tabs, that is no race",
        arguments: ["/api/token/verify/", "/api/token/blacklist/", "/sessions/close"],
        [200, 401]
    )
    func notRenewed(path: String, second: Int) {
        var script = TrafficScript()
        script.logIn()
        script.wait(10)
        func send() -> Int {
            script.send("POST", path, json: ["refresh": .string(TrafficScript.refresh(1))])
        }
        let first = send()
        script.connection = 2
        let other = send()
        script.finish(first, 200, .object([:]))
        script.finish(other, second, .object([:]))
        let run = ObservationRun(script, after: 0)
        #expect(run.findings.isEmpty, "\(run.summary)")
        let status = SessionBook(folding: run.events)[SessionID("1")].observed.status
        #expect(status?.code != .renewing)
    }

    @Test("what is put on another list, or verified with a code, is no logout and no question")
    func otherNames() {
        var script = TrafficScript()
        script.logIn()
        let block = script.send(
            "POST",
            "/users/7/blacklist",
            bearer: TrafficScript.access(1),
            json: ["reason": "spam"]
        )
        script.finish(block, 200, .object([:]))
        let code = script.send("POST", "/auth/verify", json: ["email": "a@b.c", "code": "123456"])
        script.finish(code, 401, ["error": "wrong"])
        script.call(1)
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.traffic.graph.families[1]?.end == nil)
        #expect(run.machine.traffic.exchange(block)?.purpose == .protected)
        #expect(run.machine.traffic.exchange(code)?.purpose == .login)
    }

    @Test("the coding of an answer that was not read repeats nothing that a server writes there")
    func coding() throws {
        var script = TrafficScript()
        let secret = "S3cr3t-token-0f-the-app-AbCdEf"
        let exchange = script.send("GET", "/items", bearer: TrafficScript.access(1))
        let headers = [
            Self.set("session_id", secret), WireHeader("Content-Encoding", "br, \(secret)"),
        ]
        script.answer(exchange, 200, headers: headers, unread: 300)
        let run = ObservationRun(script)
        let inputs = try run.inputs.map {
            String(decoding: try JSONEncoder().encode($0.input), as: UTF8.self)
        }
        #expect(inputs.contains { $0.contains("br, unknown") })
        #expect(!inputs.joined().contains(secret))
    }

    @Test(
        "a spent refresh token that is withdrawn is not spent twice",
        arguments: ["/api/token/blacklist/", "/sessions/close"]
    )
    func withdrawn(path: String) {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        script.renew(1)
        script.wait(5)
        let exchange = script.send(
            "POST",
            path,
            json: ["refresh": .string(TrafficScript.refresh(1))]
        )
        script.finish(exchange, 200, .object([:]))
        script.call(2)
        let run = ObservationRun(script, after: 0)
        #expect(run.findings.isEmpty, "\(run.summary)")
        #expect(run.machine.traffic.graph.families[1]?.end == nil)
    }

    // MARK: - Cookies

    private static let session = ("sessionid", "the-session-on-the-server-1234")

    private static func logInWithThree(_ script: inout TrafficScript) {
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        script.finish(
            login,
            200,
            headers: [
                set("my-app-auth", TrafficScript.access(1), life: 300),
                set("my-refresh-token", TrafficScript.refresh(1)), set(session.0, session.1),
            ]
        )
    }

    private static func renewWithThree(
        _ script: inout TrafficScript,
        _ number: Int,
        _ status: Int = 200
    ) -> Int {
        let exchange = script.send(
            "POST",
            "/token/refresh",
            headers: [cookies([("my-refresh-token", TrafficScript.refresh(number)), session])]
        )
        let news = [
            set("my-app-auth", TrafficScript.access(number + 1), life: 300),
            set("my-refresh-token", TrafficScript.refresh(number + 1)),
        ]
        script.finish(exchange, status, .object([:]), headers: status == 200 ? news : [])
        return exchange
    }

    @Test("the cookie of a session on the server stays with the tokens that came with it")
    func sessionCookie() {
        var script = TrafficScript()
        Self.logInWithThree(&script)
        for number in 1...3 {
            // The browser has dropped the cookie of the access token.
            script.wait(301)
            let refresh = ("my-refresh-token", TrafficScript.refresh(number))
            let refused = script.send(
                "GET",
                "/me",
                headers: [Self.cookies([refresh, Self.session])]
            )
            script.finish(refused, 401)
            _ = Self.renewWithThree(&script, number)
            let access = ("my-app-auth", TrafficScript.access(number + 1))
            let again = script.send(
                "GET",
                "/me",
                headers: [Self.cookies([access, refresh, Self.session])]
            )
            script.finish(again, 200)
        }
        let run = ObservationRun(script, after: 0)
        #expect(run.machine.traffic.graph.families.count == 1)
        #expect(run.machine.traffic.graph.families[1]?.newest == 4)
        #expect(!run.findings.contains { $0.severity == .bug }, "\(run.summary)")
    }

    @Test("its first refresh token, too, is named when it is spent twice")
    func spentBesideSession() throws {
        var script = TrafficScript()
        Self.logInWithThree(&script)
        script.wait(301)
        let first = Self.renewWithThree(&script, 1)
        script.wait(2)
        let again = Self.renewWithThree(&script, 1, 401)
        let run = ObservationRun(script, after: 0)
        let spent = try #require(
            run.findings.first { $0.rule == "spent-refresh" },
            "\(run.summary)"
        )
        #expect(spent.exchanges == [first, again])
    }

    // MARK: - One cookie

    private static func one(_ number: Int) -> WireHeader {
        cookies([("access_token_cookie", webToken(number))])
    }

    private static func webToken(_ number: Int) -> String {
        TrafficScript.webToken(["sub": "ada", "jti": .integer(Int64(number))])
    }

    private static func bring(_ script: inout TrafficScript, _ exchange: Int, _ number: Int) {
        script.finish(exchange, 200, headers: [set("access_token_cookie", webToken(number))])
    }

    private static func logInWithOne(_ script: inout TrafficScript) {
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        bring(&script, login, 1)
        for _ in 1...3 {
            script.wait(10)
            let call = script.send("GET", "/me", headers: [one(1)])
            script.finish(call, 200)
        }
    }

    @Test("one cookie that is renewed at two requests at once is a race", arguments: [true, false])
    func cookieRace(isWinnerFirst: Bool) throws {
        var script = TrafficScript()
        Self.logInWithOne(&script)
        let first = script.send("POST", "/token/renew", headers: [Self.one(1)])
        script.connection = 2
        script.wait(0.005)
        let second = script.send("POST", "/token/renew", headers: [Self.one(1)])
        if isWinnerFirst { Self.bring(&script, first, 2) }
        script.finish(second, 401)
        if !isWinnerFirst { Self.bring(&script, first, 2) }
        let run = ObservationRun(script, after: 0)
        let race = try #require(run.findings.first { $0.rule == "race" }, "\(run.summary)")
        #expect(race.exchanges == [first, second])
    }

    @Test("a cookie that was replaced is an old one, whichever client still sends it")
    func staleCookie() throws {
        var script = TrafficScript()
        Self.logInWithOne(&script)
        let renewal = script.send("POST", "/token/renew", headers: [Self.one(1)])
        Self.bring(&script, renewal, 2)
        script.wait(5)
        let new = script.send("GET", "/me", headers: [Self.one(2)])
        script.finish(new, 200)
        script.wait(5)
        let stale = script.send("GET", "/me", headers: [Self.one(1)])
        script.finish(stale, 401)
        let run = ObservationRun(script, after: 0)
        let finding = try #require(
            run.findings.first { $0.rule == "stale-token" },
            "\(run.summary)"
        )
        #expect(finding.exchanges.contains(stale))
        #expect(run.machine.traffic.exchange(stale)?.generation == 1)
    }

    // MARK: - Claims

    @Test("the value against forged requests in a token is in no record")
    func forgeryClaim() throws {
        var script = TrafficScript()
        let value = "e95cc1a8-f9ab-4f7d-9405-814314a7c569"
        let token = TrafficScript.webToken(["sub": "ada", "csrf": .string(value)])
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        script.finish(login, 200, ["access_token": .string(token)])
        let run = ObservationRun(script)
        let inputs = try run.inputs.map {
            String(decoding: try JSONEncoder().encode($0.input), as: UTF8.self)
        }
        #expect(!inputs.joined().contains(value))
    }
}
