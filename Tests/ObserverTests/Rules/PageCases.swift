import Basics
import Model
import Observer
import Profiles

/// What pages and the servers between them and their backend make of requests.
extension RuleCase {
    static let pages: [RuleCase] = [
        RuleCase("hidden-refusal") { script in
            _ = logIn(in: &script)
            let readable = call(1, 200, in: &script)
            script.wait(400)
            return [readable, call(1, 401, isReadable: false, in: &script)]
        } twin: { script in
            _ = logIn(in: &script)
            _ = call(1, 200, in: &script)
            script.wait(400)
            _ = call(1, 401, in: &script)
            _ = renew(1, in: &script)
            _ = call(2, 200, in: &script)
        },
        RuleCase("hidden-refusal", nil, .bug, .likely) { script in
            // Nothing but `Origin` says that it is a page.
            _ = logIn(fields: page.dropLast(1), in: &script)
            let readable = call(1, 200, fields: page.dropLast(1), in: &script)
            script.wait(400)
            let refused = call(1, 401, fields: page.dropLast(1), isReadable: false, in: &script)
            return [readable, refused]
        } twin: { script in
            // A page of the same origin needs no permission.
            let own = [WireHeader("Origin", script.origin)]
            _ = logIn(fields: own, isReadable: false, in: &script)
            _ = call(1, 200, fields: own, isReadable: false, in: &script)
            script.wait(400)
            _ = call(1, 401, fields: own, isReadable: false, in: &script)
            _ = renew(1, fields: own, in: &script)
        },
        RuleCase("hidden-token") { script in
            _ = logIn(exposing: "Authorization", in: &script)
            script.wait(200)
            let source = prolong(1, fields: page, in: &script)
            script.wait(100)
            return [source, call(1, 401, in: &script)]
        } twin: { script in
            _ = logIn(in: &script)
            script.wait(200)
            _ = prolong(1, fields: page, exposing: "ETag, authorization", in: &script)
            script.wait(100)
            _ = call(2, 200, in: &script)
            _ = prolong(2, fields: page, exposing: "*", in: &script)
            script.wait(100)
            _ = call(3, 200, in: &script)
        },
        RuleCase("hidden-token") { script in
            // The page could read the answer to the login.
            _ = logIn(exposing: "*", in: &script)
            _ = call(1, 200, in: &script)
            script.wait(200)
            let source = prolong(1, fields: page, in: &script)
            script.wait(100)
            return [source, call(1, 401, in: &script)]
        } twin: { script in
            // It has a refresh token, which renews what it can read.
            _ = logIn(in: &script)
            script.wait(200)
            _ = prolong(1, fields: page, in: &script)
            script.wait(400)
            _ = call(1, 401, in: &script)
            _ = renew(1, in: &script)
        },
        RuleCase("hidden-token", nil, .bug, .likely) { script in
            let source = logIn(exposing: nil, in: &script)
            script.wait(1)
            return [source] + (1...2).map { _ in callWithoutToken(in: &script) }
        } twin: { script in
            // What reads the field all the same is no page.
            _ = logIn(exposing: nil, in: &script)
            script.wait(1)
            _ = call(1, 200, in: &script)
            _ = prolong(1, fields: page, in: &script)
            script.wait(1)
            _ = call(2, 200, in: &script)
        },
        RuleCase("redirect-loses", nil, .bug, .likely) { script in
            script.logIn()
            let (source, follower) = follow(
                "/items",
                to: "http://api.example.com/items/",
                in: &script
            )
            return [source, follower]
        } twin: { script in
            script.logIn()
            _ = follow("/items", to: "/items/", bearer: TrafficScript.access(1), in: &script)
            // A place of another backend, whose URL is signed.
            _ = follow("/files/1", to: "https://store.example.net/1?sig=1", in: &script)
        },
        RuleCase("redirect-loses", "method", .bug, .likely) { script in
            script.logIn()
            script.wait(290)
            let renewal = askRefresh(1, in: &script)
            let moved = WireHeader("Location", "/auth/refresh")
            script.finish(renewal, 301, headers: [moved])
            let follower = script.send("GET", "/auth/refresh")
            script.finish(follower, 405)
            return [renewal, follower]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let renewal = askRefresh(1, in: &script)
            script.finish(renewal, 308, headers: [WireHeader("Location", "/auth/refresh")])
            script.renew(1)
        },
        RuleCase("redirect-loop") { script in
            (1...4).map { round in signInByRedirection(round, in: &script) }
        } twin: { script in
            _ = signInByRedirection(1, in: &script)
            let page = script.send("GET", "/home", headers: document + [session(1)])
            script.finish(page, 200, headers: [WireHeader("Content-Type", "text/html")])
        },
        RuleCase("csrf-refused", nil, .bug, .likely) { script in
            logInByCookie(in: &script)
            return (1...3).map { _ in write(419, in: &script) }
        } twin: { script in
            logInByCookie(in: &script)
            for _ in 1...2 {
                _ = write(419, in: &script)
                script.finish(script.send("GET", "/csrf", headers: [cookie]), 204)
                _ = write(200, in: &script)
            }
        },
        RuleCase("csrf-refused", nil, .bug, .likely) { script in
            // A nonce of WordPress.
            logInByCookie(in: &script)
            return (1...3).map { _ in write(403, code: "rest_cookie_invalid_nonce", in: &script) }
        } twin: { script in
            logInByCookie(in: &script)
            _ = write(403, code: "rest_cookie_invalid_nonce", in: &script)
            _ = write(200, in: &script)
        },
        RuleCase("fresh-refused", "in-turn", .risk, .likely) { script in
            logInByCookie(in: &script)
            return Array([200, 401, 200, 401, 200, 401].map { me($0, in: &script) }.dropFirst())
        } twin: { script in
            logInByCookie(in: &script)
            for status in [200, 401, 401, 200, 200, 401] { _ = me(status, in: &script) }
        },
        RuleCase("cookie-clobbered", "prefetch") { script in
            logInByCookie(in: &script)
            _ = me(200, in: &script)
            return [leave([WireHeader("Purpose", "prefetch")], in: &script)]
        } twin: { script in
            logInByCookie(in: &script)
            _ = me(200, in: &script)
            _ = leave([], in: &script)
        },
        RuleCase("loop-401", "dead-token", .risk, .likely) { script in
            logInByCookie(in: &script)
            _ = me(200, in: &script)
            return (1...5).map { _ in
                script.wait(10)
                let refused = redirect(in: &script)
                script.finish(
                    script.send("GET", "/signin", headers: [cookie, asked]),
                    200,
                    headers: [WireHeader("Content-Type", "text/html")]
                )
                return refused
            }
        } twin: { script in
            logInByCookie(in: &script)
            _ = me(200, in: &script)
            for _ in 1...2 {
                script.wait(40)
                _ = redirect(in: &script)
                logInByCookie(in: &script)
                _ = me(200, in: &script)
            }
        },
        RuleCase("bad-header", "too-large", .risk, .likely) { script in
            [sendLarge(3_000, in: &script)]
        } twin: { script in
            _ = sendLarge(30, in: &script)
        },
        RuleCase("refresh-refused", "beside", .risk, .likely) { script in
            _ = logIn(fields: [], in: &script)
            script.wait(400)
            let refused = call(1, 401, fields: [], in: &script)
            return [refused, refuseRenewal(with: TrafficScript.access(1), in: &script)]
        } twin: { script in
            _ = logIn(fields: [], in: &script)
            script.wait(400)
            _ = call(1, 401, fields: [], in: &script)
            _ = refuseRenewal(with: nil, in: &script)
        },
    ]

    // MARK: - Pages of another origin

    private static let page = [
        WireHeader("Origin", "https://app.example.org"), WireHeader("Sec-Fetch-Site", "cross-site"),
    ]
    private static let permission = [
        WireHeader("Access-Control-Allow-Origin", "https://app.example.org")
    ]

    /// The tokens of a generation, without a stated end.
    private static func pair(_ number: Int) -> JSONValue {
        [
            "access_token": .string(TrafficScript.access(number)),
            "refresh_token": .string(TrafficScript.refresh(number)),
        ]
    }

    private static func logIn(
        fields: some Sequence<WireHeader> = page,
        isReadable: Bool = true,
        in script: inout TrafficScript
    ) -> Int {
        let body: JSONValue = ["username": "ada", "password": "correct"]
        let login = script.send("POST", "/login", headers: Array(fields), json: body)
        script.finish(login, 200, pair(1), headers: isReadable ? permission : [])
        return login
    }

    private static func renew(
        _ number: Int,
        fields: [WireHeader] = page,
        in script: inout TrafficScript
    ) -> Int {
        let body: JSONValue = ["refresh_token": .string(TrafficScript.refresh(number))]
        let renewal = script.send("POST", "/auth/refresh", headers: fields, json: body)
        script.finish(renewal, 200, pair(number + 1), headers: permission)
        return renewal
    }

    private static func call(
        _ number: Int,
        _ status: Int,
        fields: some Sequence<WireHeader> = page,
        isReadable: Bool = true,
        in script: inout TrafficScript
    ) -> Int {
        let bearer = TrafficScript.access(number)
        let call = script.send("GET", "/items", bearer: bearer, headers: Array(fields))
        let body: JSONValue = status == 200 ? ["items": []] : ["message": "token is expired"]
        script.finish(call, status, body, headers: isReadable ? permission : [])
        return call
    }

    /// Logs in; a header field has the token, which the page may read if it is among those exposed.
    private static func logIn(exposing fields: String?, in script: inout TrafficScript) -> Int {
        let body: JSONValue = ["username": "ada", "password": "correct"]
        let login = script.send("POST", "/login", headers: page, json: body)
        script.finish(login, 200, ["id": 7], headers: token(1, exposing: fields))
        return login
    }

    /// Sends a request that is accepted, and whose answer brings the next token in a header field.
    private static func prolong(
        _ number: Int,
        fields: [WireHeader],
        exposing exposed: String? = nil,
        in script: inout TrafficScript
    ) -> Int {
        let bearer = TrafficScript.access(number)
        let call = script.send("GET", "/items", bearer: bearer, headers: fields)
        script.finish(call, 200, ["items": []], headers: token(number + 1, exposing: exposed))
        return call
    }

    private static func callWithoutToken(in script: inout TrafficScript) -> Int {
        script.wait(1)
        let call = script.send("GET", "/items", headers: page)
        script.finish(call, 401, ["message": "sign in first"], headers: permission)
        return call
    }

    private static func token(_ number: Int, exposing fields: String?) -> [WireHeader] {
        let exposed = fields.map { [WireHeader("Access-Control-Expose-Headers", $0)] } ?? []
        return permission + exposed
            + [WireHeader("Authorization", "Bearer \(TrafficScript.access(number))")]
    }

    // MARK: - Redirections

    /// Sends a request with a token that is redirected, and what follows that.
    private static func follow(
        _ path: String,
        to location: String,
        bearer: String? = nil,
        in script: inout TrafficScript
    ) -> (Int, Int) {
        let source = script.send("GET", path, bearer: TrafficScript.access(1))
        script.finish(source, 307, headers: [WireHeader("Location", location)])
        let home = script.origin
        defer { script.origin = home }
        var target = location
        if let mark = location.range(ofBytes: "://") {
            let host = location[mark.upperBound...].part(before: "/")
            script.origin = String(location[..<host.endIndex])
            target = String(location[host.endIndex...])
        }
        let follower = script.send("GET", target, bearer: bearer)
        script.finish(follower, bearer == nil ? 401 : 200, bearer == nil ? nil : ["items": []])
        return (source, follower)
    }

    private static func askRefresh(_ number: Int, in script: inout TrafficScript) -> Int {
        let body: JSONValue = ["refresh_token": .string(TrafficScript.refresh(number))]
        return script.send("POST", "/auth/refresh/", json: body)
    }

    /// Asks for a page that is redirected to the provider and back, and returns its number.
    private static func signInByRedirection(_ round: Int, in script: inout TrafficScript) -> Int {
        let old = document + (round > 1 ? [session(round - 1)] : [])
        let page = script.send("GET", "/home", headers: old)
        script.finish(page, 302, headers: [WireHeader("Location", "/login/start?round=\(round)")])
        let start = script.send("GET", "/login/start?round=\(round)", headers: old)
        let attributes = "; Path=/; HttpOnly; Secure; SameSite=Lax"
        script.finish(
            start,
            302,
            headers: [
                WireHeader("Location", "/home"),
                WireHeader("Set-Cookie", session(round).value + attributes),
            ]
        )
        return page
    }

    private static let document = [
        WireHeader("Sec-Fetch-Site", "none"), WireHeader("Sec-Fetch-Dest", "document"),
    ]

    private static func session(_ number: Int) -> WireHeader {
        WireHeader("Cookie", "sid=session-of-a-user-number-\(number)")
    }

    // MARK: - Cookies

    private static let cookie = WireHeader("Cookie", "sid=a-session-on-the-server")
    private static let asked = WireHeader("X-Requested-With", "XMLHttpRequest")

    private static func logInByCookie(in script: inout TrafficScript) {
        let attributes = "; Path=/; HttpOnly; Secure; SameSite=Lax"
        script.logIn(cookies: [WireHeader("Set-Cookie", "sid=a-session-on-the-server\(attributes)")]
        )
    }

    private static func me(_ status: Int, in script: inout TrafficScript) -> Int {
        script.wait(3)
        let call = script.send("GET", "/me", headers: [cookie])
        script.finish(call, status, status == 200 ? ["id": 1] : ["error": "invalid session"])
        return call
    }

    private static func write(
        _ status: Int,
        code: String? = nil,
        in script: inout TrafficScript
    ) -> Int {
        script.wait(1)
        let call = script.send("POST", "/items", headers: [cookie], json: ["name": "a"])
        let refusal: JSONValue =
            code.map { ["code": .string($0), "message": "Cookie check failed"] }
            ?? ["message": "CSRF token mismatch."]
        let body: JSONValue = status == 200 ? ["id": 1] : refusal
        script.finish(call, status, body)
        return call
    }

    /// Fetches the page that logs out.
    private static func leave(_ fields: [WireHeader], in script: inout TrafficScript) -> Int {
        let leave = script.send("GET", "/logout", headers: [cookie] + fields)
        script.finish(
            leave,
            302,
            headers: [
                WireHeader("Location", "/"), WireHeader("Set-Cookie", "sid=; Path=/; Max-Age=0"),
            ]
        )
        return leave
    }

    private static func redirect(in script: inout TrafficScript) -> Int {
        let call = script.send("GET", "/me", headers: [cookie, asked])
        script.finish(call, 302, headers: [WireHeader("Location", "/signin")])
        return call
    }

    // MARK: - Tokens

    /// Sends an access token with a claim of a size, which is refused for that.
    private static func sendLarge(_ size: Int, in script: inout TrafficScript) -> Int {
        let claims: JSONValue = [
            "sub": "7", "groups": .string(String(repeating: "g", count: size)),
        ]
        script.logIn(claims: claims)
        let call = script.send("GET", "/items", bearer: TrafficScript.webToken(claims))
        script.finish(call, 431)
        return call
    }

    private static func refuseRenewal(
        with access: String?,
        in script: inout TrafficScript
    ) -> Int {
        let body: JSONValue = ["refresh_token": .string(TrafficScript.refresh(1))]
        let renewal = script.send("POST", "/auth/refresh", bearer: access, json: body)
        script.finish(renewal, 401, ["message": "token is expired"])
        return renewal
    }
}
