import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

/// Traffic that looks like a mistake at first sight.
@Suite("Traffic that is in order")
struct InnocentTrafficTests {
    private static func expectQuiet(
        _ script: TrafficScript,
        families: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let run = ObservationRun(script)
        #expect(run.findings.isEmpty, "\(run.summary)", sourceLocation: sourceLocation)
        let count = run.machine.traffic.graph.families.count
        #expect(count == families, sourceLocation: sourceLocation)
    }

    @Test("a code in a body is no login where the request presents a token")
    func promotion() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let failed = script.askRefresh(1)
        script.finish(failed, 503)
        script.wait(2)
        let exchange = script.send(
            "POST",
            "/promotions",
            bearer: TrafficScript.access(1),
            json: ["code": "SUMMER", "pin": 7]
        )
        script.finish(exchange, 200, ["token": "token-of-a-device-123456"])
        script.renew(1)
        Self.expectQuiet(script)
    }

    @Test("a cookie has ended, and the page that it comes with is redirected to a new one")
    func endedCookie() {
        var script = TrafficScript()
        let token = TrafficScript.webToken([
            "sub": "7", "iat": script.epoch(in: -3_660), "exp": script.epoch(in: -3_600),
        ])
        let date = WireHeader("Date", HTTPDate.format(script.now.wall))
        let page = script.send(
            "GET",
            "/dashboard",
            headers: [
                WireHeader("Cookie", "__session=\(token)"), WireHeader("Sec-Fetch-Site", "none"),
                WireHeader("Sec-Fetch-Dest", "document"),
            ]
        )
        let location = WireHeader("Location", "https://clerk.example.com/v1/client/handshake")
        script.finish(page, 307, headers: [location, date])
        Self.expectQuiet(script)
    }

    @Test("what a socket that overlaps two others has brought is missing nowhere")
    func overlappingSockets() {
        var script = TrafficScript()
        script.logIn(life: 3_600)
        func dial() -> Int {
            let socket = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(socket)
            return socket
        }
        func push(_ numbers: ClosedRange<Int64>, to socket: Int) {
            for number in numbers { script.push(socket, ["seq": .integer(number)]) }
        }
        let first = dial()
        push(1...30, to: first)
        let second = dial()
        push(31...31, to: first)
        push(30...31, to: second)
        script.close(first, by: .app, code: 1000)
        push(32...60, to: second)
        let third = dial()
        push(60...61, to: third)
        script.close(second, by: .app, code: 1000)
        push(62...90, to: third)
        let fourth = dial()
        push(91...91, to: fourth)
        Self.expectQuiet(script)
    }

    @Test("tokens that are bought without credentials are no storm of logins")
    func captchas() {
        var script = TrafficScript()
        for number in 1...4 {
            let exchange = script.send("POST", "/captcha")
            script.finish(exchange, 200, ["token": .string("captcha-token-number-\(number)")])
            script.wait(1)
        }
        Self.expectQuiet(script, families: 4)
    }

    @Test("cookies of programs that measure visits are no sessions")
    func analytics() {
        var script = TrafficScript()
        for number in 1...4 {
            let cookies = "_hjSession_7=abcdefghijklmnop\(number); _ga_session=aaaaaaaaaaaaaaaaaaa"
            let exchange = script.send("GET", "/", headers: [WireHeader("Cookie", cookies)])
            script.finish(exchange, 200)
        }
        Self.expectQuiet(script, families: 0)
    }

    @Test("a login takes the place of the visitor's cookie, and is no refresh of it")
    func visitor() {
        var script = TrafficScript()
        func header(_ value: String) -> [WireHeader] {
            [WireHeader("Cookie", "session_id=\(value)")]
        }
        let visit = script.send("GET", "/", headers: header("cookie-of-a-visitor-1"))
        script.finish(visit, 200)
        let login = script.send(
            "POST",
            "/login",
            headers: header("cookie-of-a-visitor-1"),
            json: ["username": "ada", "password": "correct"]
        )
        let set = WireHeader(
            "Set-Cookie",
            "session_id=cookie-of-the-user-1; HttpOnly; Secure; SameSite=Lax"
        )
        script.finish(login, 200, headers: [set])
        Self.expectQuiet(script, families: 2)
    }

    @Test("the revocation of an access token, or of a replaced refresh token, ends no session")
    func revocation() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        script.renew(1)
        for token in [TrafficScript.access(1), TrafficScript.refresh(1)] {
            let exchange = script.send("POST", "/oauth/revoke", form: "token=\(token)")
            script.finish(exchange, 200)
        }
        script.wait(5)
        script.call(2)
        script.wait(280)
        script.renew(2)
        Self.expectQuiet(script)
    }

    private static func webToken(audience: String, _ number: Int) -> String {
        TrafficScript.webToken([
            "sub": "7", "aud": .string(audience), "jti": .integer(Int64(number)),
        ])
    }

    @Test("one refresh token may obtain tokens of several audiences, which are used side by side")
    func audiences() {
        var script = TrafficScript()
        func answer(_ audience: String, _ number: Int) -> JSONValue {
            [
                "access_token": .string(Self.webToken(audience: audience, number)),
                "refresh_token": .string(TrafficScript.refresh(1)), "expires_in": 300,
            ]
        }
        let login = script.send("POST", "/token", form: "grant_type=password&password=correct")
        script.finish(login, 200, answer("mail", 1))
        // At once, each for another audience.
        let first = script.askByRefreshToken(1, "&resource=files")
        let second = script.askByRefreshToken(1, "&resource=calendar")
        script.finish(first, 200, answer("files", 2))
        script.finish(second, 200, answer("calendar", 3))
        script.wait(2)
        for (audience, number) in [("mail", 1), ("files", 2), ("calendar", 3)] {
            let token = Self.webToken(audience: audience, number)
            let exchange = script.send("GET", "/\(audience)", bearer: token)
            script.finish(exchange, 200, ["items": []])
        }
        Self.expectQuiet(script)
    }

    @Test("the page of a portal in place of data accepts no token")
    func portal() {
        var script = TrafficScript()
        script.logIn()
        script.logOut(1)
        script.wait(3)
        let exchange = script.send("GET", "/items", bearer: TrafficScript.access(1))
        script.answer(
            exchange,
            200,
            headers: [WireHeader("Content-Type", "text/html")],
            body: Array("<html><title>Wi-Fi</title></html>".utf8)
        )
        script.deliver(exchange)
        Self.expectQuiet(script)
    }

    @Test("two devices of one user do not disturb each other")
    func devices() {
        var script = TrafficScript()
        for number in [1, 11] {
            script.connection = number
            script.userAgent = "device \(number)"
            script.logIn(number)
        }
        for round in 0...3 {
            script.wait(200)
            for number in [1, 11] {
                script.connection = number
                script.userAgent = "device \(number)"
                script.call(number + round)
                script.renew(number + round)
                script.call(number + round + 1)
            }
        }
        Self.expectQuiet(script, families: 2)
    }

    private static func set(_ value: String, age: Int? = nil, ends: Double? = nil) -> WireHeader {
        var text = "session=\(value); Path=/; HttpOnly; Secure; SameSite=Lax"
        if let age { text += "; Max-Age=\(age)" }
        if let ends { text += "; Expires=\(HTTPDate.format(TrafficScript.moment(ends).wall))" }
        return WireHeader("Set-Cookie", text)
    }

    private static func value(_ number: Int) -> String { "session-of-generation-\(number)-4f9a" }

    private static func call(
        _ number: Int,
        _ status: Int = 200,
        _ more: [WireHeader] = [],
        in script: inout TrafficScript
    ) {
        let headers = [WireHeader("Cookie", "session=\(value(number))")]
        let call = script.send("GET", "/items", headers: headers)
        script.finish(call, status, status == 200 ? ["items": []] : nil, headers: more)
    }

    @Test("the age of a cookie is no lifetime of the token in it")
    func cookieAge() {
        var script = TrafficScript()
        script.logIn(cookies: [Self.set(Self.value(1), age: 604_800)])
        for number in 1...3 {
            script.wait(600)
            Self.call(number, in: &script)
            script.wait(301)
            Self.call(number, 401, in: &script)
            let cookie = [WireHeader("Cookie", "session=\(Self.value(number))")]
            let renewal = script.send("POST", "/auth/refresh", headers: cookie)
            let next = Self.set(Self.value(number + 1), age: 604_800)
            script.finish(renewal, 200, ["ok": true], headers: [next])
            Self.call(number + 1, in: &script)
        }
        Self.expectQuiet(script)
    }

    @Test("what a body says of the end of its cookie is not said of a token beside it")
    func endOfCookie() {
        var script = TrafficScript()
        let issued = script.now.wall.timeIntervalSince1970
        let token = TrafficScript.webToken([
            "sub": "ada", "iat": .number(issued), "exp": .number(issued + 300),
        ])
        let session = script.send(
            "GET",
            "/api/auth/session",
            headers: [WireHeader("Cookie", "session=\(Self.value(1))")]
        )
        let end = script.now.wall.addingTimeInterval(2_592_000)
        script.finish(
            session,
            200,
            [
                "user": ["name": "Ada"], "accessToken": .string(token),
                "expires": .string(end.formatted(Date.ISO8601FormatStyle())),
            ],
            headers: [Self.set(Self.value(1), ends: 2_592_000)]
        )
        let call = script.send("GET", "/items", bearer: token)
        script.finish(call, 200, ["items": []])
        let findings = ObservationRun(script).findings
        #expect(!findings.contains { $0.rule == "expiry-disagrees" })
    }

    @Test("a cookie that a backend set back is no old token of the browser's")
    func cookieSetBack() {
        var script = TrafficScript()
        script.logIn(cookies: [Self.set(Self.value(1))])
        script.wait(10)
        Self.call(1, in: &script)
        script.wait(60)
        let old = [WireHeader("Cookie", "session=\(Self.value(1))")]
        let late = script.send("GET", "/search", headers: old)
        let renewal = script.send("POST", "/auth/refresh", headers: old)
        script.finish(renewal, 200, ["ok": true], headers: [Self.set(Self.value(2))])
        script.finish(late, 200, ["hits": []], headers: [Self.set(Self.value(1))])
        script.wait(5)
        Self.call(1, 401, in: &script)
        let findings = ObservationRun(script).findings
        #expect(!findings.contains { $0.rule == "stale-token" })
        #expect(findings.contains { $0.rule == "cookie-clobbered" })
    }

    @Test("a token that had ended when it came is refused for that, and not for its form")
    func endedAtLogin() {
        var script = TrafficScript()
        let ended = script.now.wall.timeIntervalSince1970 - 600
        let token = TrafficScript.webToken(["sub": "ada", "exp": .number(ended)])
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        script.finish(login, 200, ["token": .string(token)])
        let call = script.send("GET", "/items", headers: [WireHeader("Authorization", token)])
        script.finish(call, 401)
        #expect(!ObservationRun(script).findings.contains { $0.rule == "bad-header" })
    }
}
