import Basics
import FoundationEssentials
import Model
import Observer
import Profiles

/// Backends that say or do what breaks their clients, and requests that are wrong in themselves.
extension RuleCase {
    private static func claims(
        _ subject: String,
        scope: String = "read write",
        life: Int64 = 300,
        after: Int64 = 0
    ) -> JSONValue {
        let issuedAt = 1_763_733_600 + after
        return [
            "sub": .string(subject), "scope": .string(scope), "iat": .integer(issuedAt),
            "exp": .integer(issuedAt + life),
        ]
    }

    private static func answer(_ access: String, refresh: Int, life: Double = 300) -> JSONValue {
        [
            "access_token": .string(access), "expires_in": .number(life),
            "refresh_token": .string(TrafficScript.refresh(refresh)),
        ]
    }

    /// A login whose answer says that its refresh token is good for 1 800 s.
    private static func endingSession(in script: inout TrafficScript) -> Int {
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        script.finish(
            login,
            200,
            [
                "access_token": .string(TrafficScript.access(1)), "expires_in": 300,
                "refresh_token": .string(TrafficScript.refresh(1)), "refresh_expires_in": 1_800,
            ]
        )
        return login
    }

    private static func preflight(_ status: Int, in script: inout TrafficScript) -> Int {
        let preflight = script.send(
            "OPTIONS",
            "/items",
            headers: [
                WireHeader("Origin", "https://app.example.com"),
                WireHeader("Access-Control-Request-Method", "GET"),
                WireHeader("Access-Control-Request-Headers", "authorization"),
            ]
        )
        script.finish(preflight, status)
        return preflight
    }

    /// A pair with its scopes beside it.
    private static func scoped(_ number: Int, _ scopes: String) -> JSONValue {
        [
            "access_token": .string(TrafficScript.access(number)), "expires_in": 300,
            "refresh_token": .string(TrafficScript.refresh(number)), "scope": .string(scopes),
        ]
    }

    /// A session whose cookie each answer replaces.
    private static func rollCookies(_ script: inout TrafficScript) {
        for number in 1...3 {
            let call = script.send("GET", "/me", headers: rollingCookie(number))
            script.finish(call, 200, headers: [rolledCookie(number + 1)])
            script.wait(1)
        }
    }

    private static func rollingCookie(_ number: Int) -> [WireHeader] {
        [WireHeader("Cookie", "session=cookie-of-the-session-\(number)")]
    }

    private static func rolledCookie(_ number: Int?) -> WireHeader {
        let value = number.map { "cookie-of-the-session-\($0)" } ?? "; Max-Age=0"
        return WireHeader("Set-Cookie", "session=\(value); HttpOnly; Secure; SameSite=Lax")
    }

    private static func cookie(_ value: String?, flags: Bool = true) -> WireHeader {
        let attributes = flags ? "; Path=/; HttpOnly; Secure; SameSite=Lax" : "; Path=/"
        let end = value == nil ? "; Max-Age=0" : ""
        return WireHeader("Set-Cookie", "access_token=\(value ?? "")\(attributes)\(end)")
    }

    private static let code = "grant_type=authorization_code&code=c0dec0de"

    private static func grant(_ number: Int) -> String {
        "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(number))"
    }

    private static let challenge = WireHeader(
        "WWW-Authenticate",
        "Bearer error=\"insufficient_user_authentication\", acr_values=\"gold\""
    )

    /// A request for which the token is not good enough.
    private static func ask(
        _ number: Int,
        _ code: String,
        in script: inout TrafficScript
    ) -> Int {
        let request = script.send("POST", "/payments", bearer: TrafficScript.access(number))
        script.finish(request, 403, ["error": .string(code)])
        return request
    }

    private static func logIn(
        _ scopes: String,
        refresh: Bool,
        in script: inout TrafficScript
    ) -> Int {
        let words = scopes.replacing(" ", with: "%20")
        let login = script.send("POST", "/token", form: code + "&scope=\(words)")
        script.finish(login, 200, TrafficScript.pair(1, refresh: refresh))
        return login
    }

    /// A request of an app that learns by it that its user has to sign in.
    private static func useAfterEnd(in script: inout TrafficScript) -> Int {
        script.wait(310)
        let late = script.call(1, "/items", 401)
        let login = script.send("POST", "/token", form: code)
        script.finish(login, 200, TrafficScript.pair(2, refresh: false))
        return late
    }

    private static func cookie(seconds: Int) -> WireHeader {
        let flags = "Max-Age=\(seconds); HttpOnly; Secure; SameSite=Lax"
        return WireHeader("Set-Cookie", "session=\(TrafficScript.access(1)); \(flags)")
    }

    static let backends: [RuleCase] = [
        RuleCase("expired-sent", nil, .risk) { script in
            script.logIn()
            script.wait(310)
            let late = script.call(1, "/items", 401)
            script.wait(20)
            script.renew(1)
            script.call(2)
            return [late]
        } twin: { script in
            // Several requests of a page are refused, and the app renews because of that.
            script.logIn()
            script.wait(310)
            let page = (1...3).map { number in
                script.send("GET", "/parts/\(number)", bearer: TrafficScript.access(1))
            }
            for number in page { script.finish(number, 401) }
            script.renew(1)
            script.call(2)
        },
        RuleCase("early-death", nil, .risk) { script in
            script.logIn()
            script.wait(100)
            let refused = script.call(1, "/items", 401)
            script.renew(1)
            return [refused, script.call(2)]
        } twin: { script in
            // The endpoint refuses every token.
            script.logIn()
            script.wait(100)
            script.call(1, "/items", 401)
            script.renew(1)
            script.call(2, "/items", 401)
            script.call(2, "/other", 200)
        },
        RuleCase("early-death", "refresh", .risk, .likely) { script in
            // A limit for idle sessions that is shorter than the stated life.
            let login = endingSession(in: &script)
            script.wait(280)
            return [login, script.refuseRefresh(1)]
        } twin: { script in
            // It is refused at its end, and where its user has logged out.
            _ = endingSession(in: &script)
            script.wait(1_801)
            script.refuseRefresh(1)
        },
        RuleCase("refresh-refused", nil, .risk) { script in
            // A scope that the login was not granted.
            let login = script.send("POST", "/token", form: code + "&scope=read")
            script.finish(login, 200, TrafficScript.pair(1))
            script.wait(290)
            let refused = script.send("POST", "/token", form: grant(1) + "&scope=read%20admin")
            script.finish(refused, 400, ["error": "invalid_scope"])
            script.wait(1)
            let renewal = script.send("POST", "/token", form: grant(1))
            script.finish(renewal, 200, TrafficScript.pair(2))
            return [login, refused]
        } twin: { script in
            // Less than the login was granted may be asked for, or nothing.
            let login = script.send("POST", "/token", form: code + "&scope=read%20write")
            script.finish(login, 200, TrafficScript.pair(1))
            script.wait(290)
            let renewal = script.send("POST", "/token", form: grant(1) + "&scope=read")
            script.finish(renewal, 200, TrafficScript.pair(2))
        },
        RuleCase("refresh-refused", "differs", .risk, .likely) { script in
            let login = script.send("POST", "/token", form: code + "&client_id=web-app")
            script.finish(login, 200, TrafficScript.pair(1))
            script.wait(290)
            let refused = script.send("POST", "/token", form: grant(1) + "&client_id=mobile")
            script.finish(refused, 400, ["error": "invalid_grant"])
            return [login, refused]
        } twin: { script in
            let login = script.send("POST", "/token", form: code + "&client_id=web-app")
            script.finish(login, 200, TrafficScript.pair(1))
            script.wait(290)
            let refused = script.send("POST", "/token", form: grant(1) + "&client_id=web-app")
            script.finish(refused, 400, ["error": "invalid_grant"])
        },
        RuleCase("refresh-refused", "step-up", .risk) { script in
            func transfer(_ number: Int) -> Int {
                let transfer = script.send(
                    "POST",
                    "/transfers",
                    bearer: TrafficScript.access(number)
                )
                script.finish(transfer, 401, headers: [challenge])
                return transfer
            }
            script.logIn()
            script.wait(10)
            let first = transfer(1)
            let renewal = script.renew(1)
            script.wait(1)
            return [first, renewal, transfer(2)]
        } twin: { script in
            // The user signs in again, as the backend asks.
            script.logIn()
            script.wait(10)
            let first = script.send("POST", "/transfers", bearer: TrafficScript.access(1))
            script.finish(first, 401, headers: [challenge])
            script.wait(5)
            let login = script.send("POST", "/token", form: code)
            script.finish(login, 200, TrafficScript.pair(7))
            let second = script.send("POST", "/transfers", bearer: TrafficScript.access(7))
            script.finish(second, 201)
        },
        RuleCase("refresh-refused", "step-up", .risk) { script in
            script.logIn()
            script.wait(10)
            let first = ask(1, "insufficient_scope", in: &script)
            let renewal = script.renew(1)
            script.wait(1)
            return [first, renewal, ask(2, "insufficient_scope", in: &script)]
        } twin: { script in
            // The renewal was due, and the user tries again after it.
            script.logIn()
            script.wait(10)
            _ = ask(1, "insufficient_scope", in: &script)
            script.wait(270)
            script.renew(1)
            script.wait(60)
            _ = ask(2, "insufficient_scope", in: &script)
        },
        RuleCase("no-offline-access", nil, .risk, .likely) { script in
            let other = script.send("POST", "/token", form: code + "&scope=openid%20offline_access")
            script.finish(other, 200, TrafficScript.pair(9))
            script.userAgent = "Dalvik/2.1"
            return [logIn("openid", refresh: false, in: &script), other]
                + [useAfterEnd(in: &script)]
        } twin: { script in
            // The provider issues no refresh token although it was asked for one.
            _ = logIn("openid offline_access", refresh: false, in: &script)
            script.wait(310)
            script.call(1, "/items", 401)
            let login = script.send("POST", "/token", form: code)
            script.finish(login, 200, TrafficScript.pair(2, refresh: false))
        },
        RuleCase("no-offline-access", nil, .note, .likely) { script in
            let login = logIn("openid profile", refresh: false, in: &script)
            return [login, useAfterEnd(in: &script)]
        } twin: { script in
            // A session that is renewed in another way before its end.
            for number in 1...3 {
                let login = script.send("POST", "/token", form: code + "&scope=openid")
                script.finish(login, 200, TrafficScript.pair(number, refresh: false))
                script.call(number)
                script.wait(290)
            }
        },
        RuleCase("expiry-disagrees", "cookie", .note) { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, ["expires_in": 3_600], headers: [cookie(seconds: 600)])
            return [login]
        } twin: { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, ["expires_in": 3_600], headers: [cookie(seconds: 86_400)])
        },
        RuleCase("too-early", "session-end", .note, .likely) { script in
            // The session ends 1000 s after the login.
            script.logIn(life: 400)
            var (numbers, left) = ([Int](), 1_000.0)
            for number in 1...5 {
                let wait = min(390, left * 0.7)
                script.wait(wait)
                left -= wait + TrafficScript.roundTrip
                let renewal = script.renew(number, life: left.rounded())
                if number > 1 { numbers.append(renewal) }
            }
            return numbers
        } twin: { script in
            script.logIn(life: 300)
            for number in 1...5 {
                script.wait(290)
                script.renew(number)
            }
        },
        RuleCase("expiry-disagrees", "unit", .risk) { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            let claims: JSONValue = ["sub": "7", "exp": 1_763_734_200_000]
            script.finish(login, 200, answer(TrafficScript.webToken(claims), refresh: 1))
            return [login]
        } twin: { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            let claims: JSONValue = ["sub": "7", "exp": 1_763_733_900]
            script.finish(login, 200, answer(TrafficScript.webToken(claims), refresh: 1))
        },
        RuleCase("claims-changed", nil, .risk) { script in
            func token(_ audience: String, after: Int64) -> String {
                TrafficScript.webToken([
                    "sub": "7", "aud": .string(audience), "iat": .integer(after),
                ])
            }
            let login = script.send("POST", "/token", form: code)
            script.finish(login, 200, answer(token("files", after: 1), refresh: 1))
            script.wait(290)
            let renewal = script.send("POST", "/token", form: grant(1))
            script.finish(renewal, 200, answer(token("mail", after: 290), refresh: 2))
            return [login, renewal]
        } twin: { script in
            func token(_ audience: String, after: Int64) -> String {
                TrafficScript.webToken([
                    "sub": "7", "aud": .string(audience), "iat": .integer(after),
                ])
            }
            let login = script.send("POST", "/token", form: code)
            script.finish(login, 200, answer(token("files", after: 1), refresh: 1))
            script.wait(290)
            let renewal = script.send("POST", "/token", form: grant(1) + "&resource=mail")
            script.finish(renewal, 200, answer(token("mail", after: 290), refresh: 2))
        },
        RuleCase("claims-changed", nil, .risk) { script in
            func token(_ scopes: String, after: Int64) -> String {
                TrafficScript.webToken(["sub": "7", "scp": .string(scopes), "iat": .integer(after)])
            }
            let login = script.send("POST", "/token", form: code)
            script.finish(login, 200, answer(token("read write", after: 1), refresh: 1))
            script.wait(290)
            let renewal = script.send("POST", "/token", form: grant(1))
            script.finish(renewal, 200, answer(token("read", after: 290), refresh: 2))
            return [login, renewal]
        } twin: { script in
            func token(_ scopes: String, after: Int64) -> String {
                TrafficScript.webToken(["sub": "7", "scp": .string(scopes), "iat": .integer(after)])
            }
            // Asked for.
            let login = script.send("POST", "/token", form: code)
            script.finish(login, 200, answer(token("read write", after: 1), refresh: 1))
            script.wait(290)
            let renewal = script.send("POST", "/token", form: grant(1) + "&scope=read")
            script.finish(renewal, 200, answer(token("read", after: 290), refresh: 2))
        },
        RuleCase("claims-changed", nil, .risk) { script in
            // Of a token that says nothing itself.
            let login = script.send("POST", "/token", form: code)
            script.finish(login, 200, scoped(1, "read write"))
            script.wait(290)
            let renewal = script.send("POST", "/token", form: grant(1))
            script.finish(renewal, 200, scoped(2, "read"))
            return [login, renewal]
        } twin: { script in
            let login = script.send("POST", "/token", form: code)
            script.finish(login, 200, scoped(1, "openid offline_access read"))
            script.wait(290)
            let renewal = script.send("POST", "/token", form: grant(1))
            script.finish(renewal, 200, scoped(2, "read"))
        },
        RuleCase("refresh-refused", "no-endpoint", .risk, .likely) { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 404, ["message": "Cannot POST /auth/refresh"])
            return [renewal]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 404, ["message": "Refresh token not found"])
        },
        RuleCase("refresh-refused", "page", .risk, .likely) { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.wait(TrafficScript.roundTrip)
            let page = Array("<!doctype html><title>Just a moment…</title>".utf8)
            let type = [WireHeader("Content-Type", "text/html")]
            script.answer(renewal, 403, headers: type, body: page)
            script.deliver(renewal)
            return [renewal]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 403, ["error": "forbidden"])
        },
        RuleCase("fresh-refused", nil, .risk, .likely) { script in
            // A proxy takes the header away.
            let login = script.logIn(life: 3_600)
            let numbers = ["/me", "/items", "/cart"].map { path in
                script.wait(4)
                return script.call(1, path, 401)
            }
            return [login] + numbers
        } twin: { script in
            // One server learns of the token later than the others.
            script.logIn(life: 3_600)
            for path in ["/me", "/items"] { script.call(1, path, 401) }
            for path in ["/me", "/items", "/cart"] {
                script.wait(4)
                script.call(1, path)
            }
        },
        RuleCase("fresh-refused", "elsewhere", .risk, .likely) { script in
            script.logIn(life: 3_600)
            var numbers: [Int] = []
            for _ in 1...3 {
                script.wait(5)
                numbers.append(script.call(1, "/admin", 401))
                script.call(1)
            }
            return numbers + [numbers[1] + 1]
        } twin: { script in
            // It asks for more, and says so.
            script.logIn(life: 3_600)
            for _ in 1...3 {
                script.wait(5)
                let request = script.send("GET", "/admin", bearer: TrafficScript.access(1))
                script.finish(request, 403, ["error": "insufficient_scope"])
                script.call(1)
            }
        },
        RuleCase("preflight-refused", nil, .risk) { script in
            script.logIn()
            return [preflight(401, in: &script)]
        } twin: { script in
            script.logIn()
            _ = preflight(204, in: &script)
            script.call(1)
        },
        RuleCase("empty-refresh", nil, .risk, .likely) { script in
            script.logIn(life: 1e6)
            script.wait(305)
            script.call(1, "/items", 401)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, ["ok": true])
            script.wait(1)
            return [renewal, script.call(1, "/items", 401)]
        } twin: { script in
            // The answer prolongs the session.
            script.logIn(life: 1e6)
            script.wait(305)
            script.call(1, "/items", 401)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, ["ok": true])
            script.wait(1)
            script.call(1)
            script.call(1)
        },
        RuleCase("empty-refresh", "cached", .bug, .likely) { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.wait(TrafficScript.roundTrip)
            let stored = [WireHeader("Age", "280"), WireHeader("Cache-Control", "no-store")]
            script.answer(renewal, 200, TrafficScript.pair(1), headers: stored)
            script.deliver(renewal)
            script.wait(1)
            return [renewal, script.call(1, "/items", 401)]
        } twin: { script in
            // A backend may bring the token of before, as long as it accepts that.
            script.logIn(life: 1e6)
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, TrafficScript.pair(1, life: 999_710))
            script.wait(1)
            script.call(1)
        },
        RuleCase("early-death", nil, .risk) { script in
            // A static refresh token.
            script.logIn(refresh: true)
            script.wait(100)
            let refused = script.call(1, "/items", 401)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
            return [refused, script.call(2)]
        } twin: { script in
            // The app has it revoked.
            script.logIn()
            script.wait(100)
            let revocation = script.send(
                "POST",
                "/oauth/revoke",
                form: "token=\(TrafficScript.access(1))"
            )
            script.finish(revocation, 200)
            script.wait(1)
            script.call(1, "/items", 401)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
            script.call(2)
        },
        RuleCase("expiry-disagrees", nil, .risk) { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            let token = TrafficScript.webToken(claims("7", life: 300))
            script.finish(login, 200, answer(token, refresh: 1, life: 3_600))
            return [login]
        } twin: { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            let token = TrafficScript.webToken(claims("7", life: 300))
            script.finish(login, 200, answer(token, refresh: 1, life: 300))
        },
        RuleCase("claims-changed", nil, .risk) { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, answer(TrafficScript.webToken(claims("7")), refresh: 1))
            script.wait(290)
            let renewal = script.askRefresh(1)
            let narrow = TrafficScript.webToken(claims("7", scope: "read", after: 290))
            script.finish(renewal, 200, answer(narrow, refresh: 2))
            return [login, renewal]
        } twin: { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, answer(TrafficScript.webToken(claims("7")), refresh: 1))
            script.wait(290)
            let renewal = script.askRefresh(1)
            let same = TrafficScript.webToken(claims("7", scope: "write read", after: 290))
            script.finish(renewal, 200, answer(same, refresh: 2))
        },
        RuleCase("claims-changed", nil, .bug) { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, answer(TrafficScript.webToken(claims("7")), refresh: 1))
            script.wait(290)
            let renewal = script.askRefresh(1)
            let other = TrafficScript.webToken(claims("8", after: 290))
            script.finish(renewal, 200, answer(other, refresh: 2))
            return [login, renewal]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
        },
        RuleCase("cookie-clobbered") { script in
            func header(_ value: String) -> [WireHeader] {
                [WireHeader("Cookie", "access_token=\(value)")]
            }
            let first = script.send("GET", "/me", headers: header("cookie-of-the-app-1"))
            script.finish(first, 200)
            script.wait(60)
            let slow = script.send("GET", "/report", headers: header("cookie-of-the-app-1"))
            script.wait(0.1)
            let renewal = script.send("POST", "/renew", headers: header("cookie-of-the-app-1"))
            script.finish(renewal, 200, headers: [cookie("cookie-of-the-app-2")])
            script.wait(0.1)
            script.finish(slow, 401, headers: [cookie(nil)])
            return [renewal, slow]
        } twin: { script in
            func header(_ value: String) -> [WireHeader] {
                [WireHeader("Cookie", "access_token=\(value)")]
            }
            let first = script.send("GET", "/me", headers: header("cookie-of-the-app-1"))
            script.finish(first, 200)
            script.wait(60)
            let renewal = script.send("POST", "/renew", headers: header("cookie-of-the-app-1"))
            script.finish(renewal, 200, headers: [cookie("cookie-of-the-app-2")])
            script.wait(1)
            let later = script.send("GET", "/report", headers: header("cookie-of-the-app-2"))
            script.finish(later, 401, headers: [cookie(nil)])
        },
        RuleCase("cookie-clobbered", nil, .bug, .likely) { script in
            // Each answer brings another value, and a late one none.
            rollCookies(&script)
            let slow = script.send("GET", "/report", headers: rollingCookie(4))
            var last = 0
            for number in 4...5 {
                last = script.send("GET", "/me", headers: rollingCookie(number))
                script.finish(last, 200, headers: [rolledCookie(number + 1)])
            }
            script.finish(slow, 401, headers: [rolledCookie(nil)])
            return [last, slow]
        } twin: { script in
            rollCookies(&script)
            let slow = script.send("GET", "/report", headers: rollingCookie(4))
            for number in 4...5 {
                let call = script.send("GET", "/me", headers: rollingCookie(number))
                script.finish(call, 200, headers: [rolledCookie(number + 1)])
            }
            script.finish(slow, 200, headers: [rolledCookie(7)])
            script.wait(1)
            let logout = script.send("POST", "/logout", headers: rollingCookie(7))
            script.finish(logout, 204, headers: [rolledCookie(nil)])
        },
        RuleCase("bad-header", "placeholder") { script in
            let exchange = script.send("GET", "/items", bearer: "undefined")
            script.finish(exchange, 401)
            return [exchange]
        } twin: { script in
            let exchange = script.send("GET", "/items")
            script.finish(exchange, 401)
        },
        RuleCase("bad-header", "empty") { script in
            let header = WireHeader("Authorization", "Bearer ")
            let exchange = script.send("GET", "/items", headers: [header])
            script.finish(exchange, 401)
            return [exchange]
        } twin: { script in
            let header = WireHeader("Authorization", "Basic YTpi")
            let exchange = script.send("GET", "/items", headers: [header])
            script.finish(exchange, 401)
        },
        RuleCase("bad-header", "repeated") { script in
            script.logIn()
            let header = WireHeader("Authorization", "Bearer \(TrafficScript.access(1))")
            let exchange = script.send("GET", "/items", headers: [header, header])
            script.finish(exchange, 200)
            return [exchange]
        } twin: { script in
            script.logIn()
            script.call(1)
        },
        RuleCase("bad-header", "joined") { script in
            script.logIn()
            let both = "\(TrafficScript.access(1)), Bearer \(TrafficScript.access(1))"
            let exchange = script.send("GET", "/items", bearer: both)
            script.finish(exchange, 401)
            script.wait(1)
            script.call(1)
            return [exchange]
        } twin: { script in
            let token = WireHeader("Authorization", "Token token=\"abcdefgh\", id=7")
            let exchange = script.send("GET", "/items", headers: [token])
            script.finish(exchange, 200)
        },
        RuleCase("bad-header", "wrong-token") { script in
            script.logIn()
            let exchange = script.send("GET", "/items", bearer: TrafficScript.refresh(1))
            script.finish(exchange, 401)
            return [exchange]
        } twin: { script in
            // Some backends want the refresh token there.
            script.logIn()
            script.wait(290)
            let renewal = script.send("POST", "/refresh", bearer: TrafficScript.refresh(1))
            script.finish(renewal, 200, TrafficScript.pair(2))
        },
        RuleCase("token-in-url", "refresh", .bug) { script in
            // The endpoint takes it in a body, too.
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(290)
            let refresh = TrafficScript.refresh(2)
            let renewal = script.send("POST", "/auth/refresh?refresh_token=\(refresh)")
            script.finish(renewal, 200, TrafficScript.pair(3))
            return [renewal]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
        },
        RuleCase("token-in-url", "refresh", .bug, .likely) { script in
            // Some providers want it there.
            script.logIn()
            script.wait(290)
            let renewal = script.send("POST", "/renew?refresh_token=\(TrafficScript.refresh(1))")
            script.finish(renewal, 200, TrafficScript.pair(2))
            return [renewal]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 503)
            script.wait(20)
            script.renew(1)
        },
        RuleCase("token-in-url", "refresh", .risk) { script in
            // A GET that the backend takes is its protocol.
            script.logIn()
            script.wait(290)
            let renewal = script.send("GET", "/renew?refresh_token=\(TrafficScript.refresh(1))")
            script.finish(renewal, 200, TrafficScript.pair(2))
            return [renewal]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
        },
        RuleCase("token-in-url", nil, .risk) { script in
            script.logIn()
            let exchange = script.send("GET", "/items?access_token=\(TrafficScript.access(1))")
            script.finish(exchange, 200)
            return [exchange]
        } twin: { script in
            // A token of another kind, which no answer brought.
            let exchange = script.send("GET", "/verify?token=a-token-from-a-mail-12345")
            script.finish(exchange, 200)
        },
        RuleCase("other-origin", nil, .risk) { script in
            script.logIn()
            script.origin = "https://elsewhere.example.net"
            let exchange = script.send("GET", "/pixel", bearer: TrafficScript.access(1))
            script.finish(exchange, 403)
            return [exchange]
        } twin: { script in
            script.logIn()
            script.call(1)
        },
        RuleCase("no-store", nil, .note) { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200)
            let again = script.send("POST", "/login", json: ["password": "correct"])
            script.answer(again, 200, TrafficScript.pair(1), isStored: true)
            script.deliver(again)
            return [again]
        } twin: { script in
            script.logIn()
        },
        RuleCase("cookie-flags", nil, .note) { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, headers: [cookie("cookie-of-the-app-1", flags: false)])
            return [login]
        } twin: { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, headers: [cookie("cookie-of-the-app-1")])
        },
        RuleCase("long-refresh", nil, .note) { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, long(1))
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
            return [renewal]
        } twin: { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, long(1))
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, long(2))
        },
    ]

    private static func long(_ number: Int) -> JSONValue {
        guard case .object(var members) = TrafficScript.pair(number) else { return .null }
        members["refresh_expires_in"] = 5_184_000
        return .object(members)
    }
}
