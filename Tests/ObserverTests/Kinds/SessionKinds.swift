import Basics
import FoundationEssentials
import Model
import Observer
import Profiles

/// Sessions whose one token each answer replaces, and refusals that are about something else.
extension TrafficKind {
    static let sessions: [TrafficKind] = [
        TrafficKind(
            "the page's session says that its provider has refused the renewal, and goes on",
            says: [.likelyRisk("loop-401", "the token of one session that is refused each time")],
            pairs: [1]
        ) { script in
            for number in 1...9 { nextAuth(number, isRefused: number > 3, &script) }
        } twin: { script in
            for number in 1...2 { nextAuth(number, isRefused: false, &script) }
        },
        TrafficKind(
            "the app keeps the token of before, since an answer to requests at once has none",
            says: [.likelyBug("stale-token", "have replaced, the last of them")],
            pairs: [1]
        ) { script in
            for number in 1...6 { devise(number, &script) }
            for _ in 1...2 {
                script.wait(10)
                script.ask("GET", "/a", headers: deviseToken(6), 401, ["errors": ["Sign in."]])
            }
        } twin: { script in
            for number in 1...8 { devise(number, &script) }
        },
        TrafficKind(
            "the session has ended with its page, and the form is sent again and again (419)",
            says: [.likelyRisk("expired-sent", "ended")],
            pairs: [1]
        ) { script in
            for number in 1...5 { laravel("GET", "/user", number, 200, &script) }
            script.wait(8_000)
            for _ in 1...3 {
                let message: JSONValue = ["message": "CSRF token mismatch."]
                script.ask("POST", "/posts", headers: laravelCookie(6), 419, message)
                script.wait(20)
            }
        } twin: { script in
            for number in 1...5 { laravel("GET", "/user", number, 200, &script) }
            // The token against forged requests is another one; the session goes on.
            script.ask(
                "POST",
                "/posts",
                headers: laravelCookie(6),
                419,
                ["message": "Page expired"]
            )
            laravel("POST", "/posts", 6, 200, &script)
        },
        TrafficKind(
            "the token begins when the clock of the backend has not come so far",
            says: [.likelyRisk("early-death", "before its access token begins (nbf)")],
            pairs: [1]
        ) { script in
            let token = notBefore(5, in: &script)
            script.ask("GET", "/me", bearer: token, 401, ["error": "not yet"], fields: date(script))
            script.wait(10)
            script.ask("GET", "/me", bearer: token, 200, [:], fields: date(script))
        } twin: { script in
            let token = notBefore(0, in: &script)
            script.ask("GET", "/me", bearer: token, 200, [:], fields: date(script))
        },
        TrafficKind(
            "the refresh is refused for its token against forged requests, and the app logs out",
            says: [.likelyBug("gave-up", "was refused for its token against forged requests")],
            pairs: [2]
        ) { script in
            script.logIn()
            script.wait(290)
            let refresh = script.askRefresh(1)
            script.finish(refresh, 403, ["error": "CSRF token missing"])
            script.wait(1)
            script.ask("POST", "/auth/logout", bearer: TrafficScript.access(1))
        } twin: { script in
            script.logIn()
            script.wait(290)
            let refresh = script.askRefresh(1)
            script.finish(refresh, 403, ["error": "CSRF token missing"])
            script.ask("GET", "/csrf", 200, ["csrf": "x"])
            script.renew(1)
        },
        TrafficKind(
            "a refresh cookie of no known name is dead, and sent each minute",
            says: [.likelyBug("dead-refresh-loop", "refused")],
            pairs: [2]
        ) { script in
            unnamedCookie("POST", "/login", 1, &script)
            script.wait(900)
            for _ in 1...8 {
                let headers = [WireHeader("Cookie", "sp_rt=\(UnnamedTraffic.key(1))")]
                let error: JSONValue = ["error": "invalid refresh token"]
                script.ask("POST", "/auth/refresh", headers: headers, json: [:], 401, error)
                script.wait(60)
            }
        } twin: { script in
            unnamedCookie("POST", "/login", 1, &script)
            script.wait(290)
            unnamedCookie("POST", "/auth/refresh", 2, &script)
            script.call(2)
        },
        TrafficKind(
            "one of two cookies renews the other, and a request goes out with the ended one",
            says: [.risk("expired-sent", "ended")],
            pairs: [4]
        ) { script in
            twoCookies(1, in: &script)
            script.wait(320)
            for _ in 1...3 {
                script.ask("GET", "/me", headers: both(1), 401, ["error": "no access"])
                script.wait(20)
            }
        } twin: { script in
            twoCookies(1, in: &script)
            for number in 2...4 {
                script.wait(290)
                twoCookies(number, in: &script)
                script.ask("GET", "/me", headers: both(number))
            }
        },
        TrafficKind(
            "the client keeps the cookie of before the login",
            says: [.likelyBug("stale-token", "that the session had before the login")],
            pairs: [1, 1]
        ) { script in
            pageSession(&script)
            for _ in 1...3 {
                script.wait(10)
                let old = [WireHeader("Cookie", "sid=session-of-a-guest-1")]
                script.ask("GET", "/me", headers: old, 401, ["error": "no access"])
            }
        } twin: { script in
            pageSession(&script)
            let new = [WireHeader("Cookie", "sid=session-of-a-user-1")]
            script.ask("GET", "/me", headers: new)
            // Another page was on its way.
            let old = [WireHeader("Cookie", "sid=session-of-a-guest-1")]
            script.ask("GET", "/me", headers: old, 401, ["error": "no access"])
        },
        TrafficKind(
            "a refusal as invalid_request says that it is about the token",
            says: [.bug("dead-refresh-loop", "refused")],
            pairs: [1, 1]
        ) { script in
            script.logIn()
            for _ in 1...8 {
                script.wait(300)
                let refresh = script.askRefresh(1)
                script.finish(refresh, 401, passportError)
            }
        } twin: { script in
            script.logIn()
            script.wait(290)
            let refresh = script.askRefresh(1)
            script.finish(refresh, 401, passportError)
            script.wait(20)
            script.logIn(2)
        },
        TrafficKind(
            "the ID token is sent in the place of the access token, and is for the app alone",
            says: [.likelyBug("bad-header", "sends an ID token in the place of an access token")],
            pairs: [1]
        ) { script in
            let token = idToken(in: &script)
            script.ask("GET", "/me", bearer: token, 401, ["error": "invalid audience"])
        } twin: { script in
            // Some backends take ID tokens.
            let token = idToken(in: &script)
            script.ask("GET", "/me", bearer: token)
        },
        form("a token in quotes", "\"\(TrafficScript.access(1))\""),
        form("the scheme “Bearer” twice", "Bearer \(TrafficScript.access(1))"),
        TrafficKind(
            "the provider takes the refresh token as the end of the path",
            says: [
                .risk("token-in-url", "where the backend takes it"),
                .bug("spent-refresh", "sends a refresh token that"),
            ],
            pairs: [1]
        ) { script in
            script.logIn()
            script.wait(290)
            let path = "/v1.0/token/\(TrafficScript.refresh(1))"
            script.ask("GET", path, 200, TrafficScript.pair(2))
            script.wait(280)
            script.ask(
                "GET",
                path,
                200,
                ["code": 1_012, "success": false, "error": "invalid_grant"]
            )
        } twin: { script in
            script.logIn()
            script.wait(290)
            // It names the token of another request, and brings nothing.
            script.ask("GET", "/v1.0/log/entries", bearer: TrafficScript.access(1))
        },
    ]

    private static let passportError: JSONValue = [
        "error": "invalid_request", "error_description": "The refresh token is invalid.",
    ]

    private static func page(_ name: String) -> WireHeader {
        WireHeader("Set-Cookie", "sid=session-of-a-\(name); HttpOnly; Secure; SameSite=Lax")
    }

    private static func pageSession(_ script: inout TrafficScript) {
        script.ask("GET", "/", 200, [:], fields: [page("guest-1")])
        let old = [WireHeader("Cookie", "sid=session-of-a-guest-1")]
        script.ask("GET", "/start", headers: old)
        script.ask(
            "POST",
            "/login",
            headers: old,
            json: ["password": "correct"],
            200,
            [:],
            fields: [page("user-1")]
        )
        script.wait(5)
    }

    private static func twoCookie(_ name: String, _ number: Int, _ life: Int64) -> String {
        let claims: JSONValue = [
            "sub": "ada", "n": .integer(Int64(number)), "life": .integer(life),
        ]
        return "\(name)=" + TrafficScript.webToken(claims)
    }

    private static func both(_ number: Int) -> [WireHeader] {
        [WireHeader("Cookie", twoCookie("DS", number, 300) + "; " + twoCookie("DSR", 1, 2_419_200))]
    }

    private static func twoCookies(_ number: Int, in script: inout TrafficScript) {
        func set(_ cookie: String, _ life: Int) -> WireHeader {
            let flags = "Max-Age=\(life); HttpOnly; Secure; SameSite=Strict"
            return WireHeader("Set-Cookie", "\(cookie); \(flags)")
        }
        let access = set(twoCookie("DS", number, 300), 300)
        let refresh = set(twoCookie("DSR", 1, 2_419_200), 2_419_200)
        let old = [WireHeader("Cookie", twoCookie("DSR", 1, 2_419_200))]
        script.ask(
            "POST",
            number == 1 ? "/login" : "/auth/refresh",
            headers: number == 1 ? [] : old,
            json: number == 1 ? ["password": "correct"] : [:],
            200,
            [:],
            fields: number == 1 ? [access, refresh] : [access]
        )
    }

    /// A token in a form that one backend takes, and another one refuses.
    private static func form(_ words: String, _ credentials: String) -> TrafficKind {
        let headers = [WireHeader("Authorization", "Bearer \(credentials)")]
        return TrafficKind(
            "the header has \(words), and is refused",
            says: [.bug("bad-header", words)],
            pairs: [1]
        ) { script in
            script.logIn()
            script.ask("GET", "/me", headers: headers, 401, ["error": "no token"])
            script.wait(1)
            script.renew(1)
            script.call(2)
        } twin: { script in
            script.logIn()
            for _ in 1...3 { script.ask("GET", "/me", headers: headers) }
        }
    }

    private static func idToken(in script: inout TrafficScript) -> String {
        let token = TrafficScript.webToken(["sub": "ada", "aud": "app", "nonce": "n-0S6_WzA2Mj"])
        script.ask(
            "POST",
            "/oauth/token",
            form: "grant_type=authorization_code&code=c0dec0dec0de",
            200,
            [
                "access_token": .string(TrafficScript.access(1)), "expires_in": 300,
                "id_token": .string(token),
            ]
        )
        return token
    }

    private static func nextAuth(
        _ number: Int,
        isRefused: Bool,
        _ script: inout TrafficScript
    ) {
        func cookie(_ number: Int) -> String {
            "next-auth.session-token=session-of-the-page-number-\(number)"
        }
        let answer: JSONValue =
            isRefused ? ["user": [:], "error": "RefreshAccessTokenError"] : ["user": [:]]
        let old = [WireHeader("Cookie", cookie(number))]
        let next = [
            WireHeader(
                "Set-Cookie",
                cookie(number + 1) + "; Path=/; HttpOnly; Secure; SameSite=Lax"
            )
        ]
        script.ask("GET", "/api/auth/session", headers: old, 200, answer, fields: next)
        let new = [WireHeader("Cookie", cookie(number + 1))]
        let error: JSONValue = ["error": "no access"]
        script.ask(
            "GET",
            "/api/items",
            headers: new,
            isRefused ? 401 : 200,
            isRefused ? error : [:]
        )
        script.wait(300)
    }

    private static func deviseToken(_ number: Int) -> [WireHeader] {
        [WireHeader("access-token", "token-of-the-answer-\(number)"), WireHeader("client", "c1")]
    }

    private static func devise(_ number: Int, _ script: inout TrafficScript) {
        let next = deviseToken(number + 1)
        script.ask("GET", "/a", headers: deviseToken(number), 200, [:], fields: next)
        let blank = [WireHeader("access-token", " ")]
        script.ask("GET", "/b", headers: deviseToken(number), 200, [:], fields: blank)
        script.wait(30)
    }

    private static func laravelCookie(_ number: Int) -> [WireHeader] {
        [WireHeader("Cookie", "laravel_session=session-of-the-page-number-\(number)")]
    }

    private static func laravel(
        _ method: String,
        _ path: String,
        _ number: Int,
        _ status: Int,
        _ script: inout TrafficScript
    ) {
        let cookie = "laravel_session=session-of-the-page-number-\(number + 1)"
        let fields = [
            WireHeader(
                "Set-Cookie",
                "\(cookie); Max-Age=7200; Path=/; HttpOnly; SameSite=Lax; Secure"
            )
        ]
        script.ask(method, path, headers: laravelCookie(number), status, [:], fields: fields)
        script.wait(60)
    }

    private static func date(_ script: TrafficScript) -> [WireHeader] {
        [WireHeader("Date", HTTPDate.format(script.now.wall))]
    }

    private static func notBefore(_ seconds: Double, in script: inout TrafficScript) -> String {
        let token = TrafficScript.webToken([
            "iat": script.epoch(in: 0), "nbf": script.epoch(in: seconds),
            "exp": script.epoch(in: 300),
        ])
        script.ask(
            "POST",
            "/login",
            json: ["password": "correct"],
            200,
            ["access_token": .string(token)],
            fields: date(script)
        )
        return token
    }

    private static func unnamedCookie(
        _ method: String,
        _ path: String,
        _ number: Int,
        _ script: inout TrafficScript
    ) {
        let old = [WireHeader("Cookie", "sp_rt=\(UnnamedTraffic.key(number - 1))")]
        let cookie = "sp_rt=\(UnnamedTraffic.key(number)); Path=/; HttpOnly; Secure; SameSite=Lax"
        script.ask(
            method,
            path,
            headers: number == 1 ? [] : old,
            json: number == 1 ? ["password": "correct"] : [:],
            200,
            TrafficScript.pair(number, refresh: false),
            fields: [WireHeader("Set-Cookie", cookie)]
        )
    }
}
