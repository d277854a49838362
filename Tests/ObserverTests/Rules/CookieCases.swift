import Basics
import Model
import Observer
import Profiles

/// Cookies that do not come back, or come back twice.
extension RuleCase {
    static let cookies: [RuleCase] =
        [
            ("https", "; Path=/; Secure; SameSite=Lax", [:], 3),
            ("http", "; Path=/; Secure; SameSite=Lax", [:], 2),
            ("https", "; Path=/admin; Secure; SameSite=Lax", [:], 2),
            ("https", "; Domain=other.com; Secure; SameSite=Lax", [:], 2),
            ("https", "; Path=/; Secure; SameSite=Lax", ["Sec-Fetch-Site": "cross-site"], 2),
            ("https", String(repeating: "s", count: 4_096) + "; Path=/; Secure", [:], 2),
        ]
        .map { (scheme: String, attributes: String, fields: [String: String], count: Int) in
            RuleCase("cookie-not-sent", nil, .bug, .likely) { script in
                script.origin = "\(scheme)://api.example.com"
                let login = logIn(cookie: session + attributes, fields, in: &script)
                return [login] + (1...count).map { _ in call(nil, 401, in: &script) }
            } twin: { script in
                script.origin = "\(scheme)://api.example.com"
                _ = logIn(cookie: session + attributes, fields, in: &script)
                for _ in 1..<count { _ = call(nil, 401, in: &script) }
                for _ in 1...4 { _ = call(nil, 404, in: &script) }
                _ = call("sid=" + session, 200, in: &script)
                for _ in 1...4 { _ = call(nil, 401, in: &script) }
            }
        } + [
            RuleCase("cookie-not-sent", nil, .bug, .likely) { script in
                // Its path is that of another endpoint.
                let login = logInWithRefreshCookie("/auth/refresh", in: &script)
                script.wait(290)
                return [login] + (1...2).map { _ in refresh(401, in: &script) }
            } twin: { script in
                // An app without cookies has its tokens from the body.
                _ = logInWithRefreshCookie("/api", in: &script)
                script.wait(290)
                for _ in 1...4 { script.call(1, "/admin", 403) }
                script.renew(1)
                script.call(2)
            },
            RuleCase("cookie-not-sent", nil, .bug, .likely) { script in
                // An endpoint whose name says nothing, and whose refusal tells what it reads.
                let login = logInWithRefreshCookie("/auth/refresh", in: &script)
                script.wait(290)
                return [login] + (1...2).map { _ in refresh(401, at: "/api/session", in: &script) }
            } twin: { script in
                // The guest's question has nothing to do with it.
                _ = logInWithRefreshCookie("/auth/refresh", in: &script)
                script.wait(290)
                for _ in 1...4 {
                    let request = script.send("GET", "/api/session")
                    script.finish(request, 401, ["error": "nobody is here"])
                }
            },
            RuleCase("bad-header", "two-cookies", .bug, .likely) { script in
                _ = logIn(cookie: "old-session-of-the-app; Path=/app", in: &script)
                _ = logIn(cookie: "new-session-of-the-app; Path=/", in: &script)
                return [
                    call("sid=old-session-of-the-app; sid=new-session-of-the-app", 401, in: &script)
                ]
            } twin: { script in
                _ = logIn(cookie: "old-session-of-the-app; Path=/app", in: &script)
                _ = logIn(cookie: "new-session-of-the-app; Path=/", in: &script)
                _ = call("sid=old-session-of-the-app; sid=new-session-of-the-app", 200, in: &script)
            },
        ]

    private static let session = "a-session-on-the-server"

    private static func logIn(
        cookie: String,
        _ fields: [String: String] = [:],
        in script: inout TrafficScript
    ) -> Int {
        let login = script.send(
            "POST",
            "/login",
            headers: fields.map { WireHeader($0.key, $0.value) },
            json: ["username": "ada", "password": "correct"]
        )
        script.finish(
            login,
            200,
            ["user": 1],
            headers: [WireHeader("Set-Cookie", "sid=\(cookie); HttpOnly; Secure; SameSite=Lax")]
        )
        return login
    }

    private static func call(
        _ cookies: String?,
        _ status: Int,
        in script: inout TrafficScript
    ) -> Int {
        script.wait(2)
        let headers = [cookies.map { WireHeader("Cookie", $0) }].compactMap(\.self)
        let request = script.send("GET", "/app/me", headers: headers)
        script.finish(request, status, status == 200 ? ["items": []] : ["error": "unauthorized"])
        return request
    }

    private static func logInWithRefreshCookie(
        _ path: String,
        in script: inout TrafficScript
    ) -> Int {
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        let cookie = "refreshToken=\(TrafficScript.refresh(1)); Path=\(path); HttpOnly; Secure; "
        script.finish(
            login,
            200,
            TrafficScript.pair(1, refresh: path == "/api"),
            headers: [WireHeader("Set-Cookie", cookie + "SameSite=Strict")]
        )
        return login
    }

    private static func refresh(
        _ status: Int,
        at path: String = "/api/refresh-token",
        in script: inout TrafficScript
    ) -> Int {
        script.wait(30)
        let request = script.send("POST", path, json: [:])
        script.finish(request, status, ["error": "no refresh token"])
        return request
    }
}
