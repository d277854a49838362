import Basics
import Model
import Observer
import Profiles

/// Answers that say more than their status.
extension RuleCase {
    static let tellingAnswers: [RuleCase] = [
        RuleCase("alive-after-logout", "used-after-logout", .bug, .likely) { script in
            // The logout is refused, too, since the session is over.
            script.logIn(life: 1e6, refresh: false)
            script.wait(290)
            script.call(1, "/items", 401)
            let logout = end(401, in: &script)
            script.wait(1)
            return [logout, script.call(1, "/items", 401)]
        } twin: { script in
            script.logIn(life: 1e6, refresh: false)
            script.wait(290)
            script.call(1, "/items", 401)
            _ = end(401, in: &script)
            script.logIn(2)
            script.call(2)
        },
        RuleCase("no-backoff", "slow-down", .risk) { script in
            poll(0, "slow_down", every: 1, in: &script)
            return (1...3).map { _ in poll(1, "slow_down", every: 1, in: &script) }
        } twin: { script in
            poll(0, "authorization_pending", every: 1, in: &script)
            for wait in [1.0, 6, 11, 16] { poll(wait, "slow_down", every: 0, in: &script) }
        },
        RuleCase("early-death", "cached", .risk, .likely) { script in
            script.logIn()
            script.call(1)
            let request = script.send("GET", "/items", bearer: TrafficScript.access(1))
            script.finish(request, 401, ["error": "expired"], headers: [WireHeader("Age", "12")])
            return [request]
        } twin: { script in
            script.logIn()
            script.call(1)
            let request = script.send("GET", "/items", bearer: TrafficScript.access(1))
            script.finish(
                request,
                401,
                ["error": "expired"],
                headers: [WireHeader("Age", "12"), WireHeader("Vary", "Authorization")]
            )
        },
        RuleCase("fresh-refused", nil, .risk, .likely) { script in
            // A page comes with the cookie as it does without.
            let login = logIn(cookie: cookie, in: &script)
            _ = page(with: cookie, in: &script)
            return [login] + (1...3).map { _ in me(with: cookie, 401, in: &script) }
        } twin: { script in
            _ = logIn(cookie: cookie, in: &script)
            _ = page(with: cookie, in: &script)
            for status in [401, 401, 200] { _ = me(with: cookie, status, in: &script) }
        },
    ]

    private static let cookie = "sid=a-session-on-the-server"

    private static func logIn(cookie: String, in script: inout TrafficScript) -> Int {
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "x"])
        let header = WireHeader("Set-Cookie", cookie + "; HttpOnly; Secure; SameSite=Lax")
        script.finish(login, 200, ["user": 1], headers: [header])
        return login
    }

    private static func page(with cookie: String, in script: inout TrafficScript) -> Int {
        let request = script.send("GET", "/", headers: [WireHeader("Cookie", cookie)])
        script.wait(TrafficScript.roundTrip)
        let body = Array("<!doctype html><title>app</title>".utf8)
        script.answer(request, 200, headers: [WireHeader("Content-Type", "text/html")], body: body)
        script.deliver(request)
        return request
    }

    private static func me(
        with cookie: String,
        _ status: Int,
        in script: inout TrafficScript
    ) -> Int {
        script.wait(4)
        let request = script.send("GET", "/me", headers: [WireHeader("Cookie", cookie)])
        script.finish(request, status, status == 200 ? ["id": 1] : ["error": "unauthorized"])
        return request
    }

    private static func end(_ status: Int, in script: inout TrafficScript) -> Int {
        let logout = script.send("POST", "/sign-out", bearer: TrafficScript.access(1))
        script.finish(logout, status, ["error": "unauthorized"])
        return logout
    }

    @discardableResult
    private static func poll(
        _ wait: Double,
        _ error: String,
        every interval: Double,
        in script: inout TrafficScript
    ) -> Int {
        script.wait(wait)
        let request = script.send(
            "POST",
            "/token",
            form: "grant_type=urn:ietf:params:oauth:grant-type:device_code&device_code=d3v1c3c0de"
        )
        script.finish(request, 400, ["error": .string(error), "interval": .number(interval)])
        return request
    }
}
