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
        let claims: JSONValue = [
            "sub": "7", "aud": .string(audience), "jti": .integer(Int64(number)),
        ]
        let parts = [JSONValue.object(["alg": "HS256"]), claims].map { part in
            Data(part.serialized.utf8).base64EncodedString()
                .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
        }
        return parts.joined(separator: ".") + ".c2lnbmF0dXJl"
    }

    @Test("one refresh token may buy tokens of several audiences, which are used side by side")
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
        let grant = "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(1))"
        let first = script.send("POST", "/token", form: grant + "&resource=files")
        let second = script.send("POST", "/token", form: grant + "&resource=calendar")
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
}
