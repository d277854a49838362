import Basics
import Model
import Observer
import Profiles

/// Backends that say or do what breaks their clients.
extension RuleCase {
    static let backends: [RuleCase] = [
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
            let login = script.askByCode()
            script.finish(login, 200, answer(token("files", after: 1), refresh: 1))
            script.wait(290)
            let renewal = script.askByRefreshToken(1)
            script.finish(renewal, 200, answer(token("mail", after: 290), refresh: 2))
            return [login, renewal]
        } twin: { script in
            func token(_ audience: String, after: Int64) -> String {
                TrafficScript.webToken([
                    "sub": "7", "aud": .string(audience), "iat": .integer(after),
                ])
            }
            let login = script.askByCode()
            script.finish(login, 200, answer(token("files", after: 1), refresh: 1))
            script.wait(290)
            let renewal = script.askByRefreshToken(1, "&resource=mail")
            script.finish(renewal, 200, answer(token("mail", after: 290), refresh: 2))
        },
        RuleCase("claims-changed", nil, .risk) { script in
            func token(_ scopes: String, after: Int64) -> String {
                TrafficScript.webToken(["sub": "7", "scp": .string(scopes), "iat": .integer(after)])
            }
            let login = script.askByCode()
            script.finish(login, 200, answer(token("read write", after: 1), refresh: 1))
            script.wait(290)
            let renewal = script.askByRefreshToken(1)
            script.finish(renewal, 200, answer(token("read", after: 290), refresh: 2))
            return [login, renewal]
        } twin: { script in
            func token(_ scopes: String, after: Int64) -> String {
                TrafficScript.webToken(["sub": "7", "scp": .string(scopes), "iat": .integer(after)])
            }
            // Asked for.
            let login = script.askByCode()
            script.finish(login, 200, answer(token("read write", after: 1), refresh: 1))
            script.wait(290)
            let renewal = script.askByRefreshToken(1, "&scope=read")
            script.finish(renewal, 200, answer(token("read", after: 290), refresh: 2))
        },
        RuleCase("claims-changed", nil, .risk) { script in
            // Of a token that says nothing itself.
            let login = script.askByCode()
            script.finish(login, 200, scoped(1, "read write"))
            script.wait(290)
            let renewal = script.askByRefreshToken(1)
            script.finish(renewal, 200, scoped(2, "read"))
            return [login, renewal]
        } twin: { script in
            let login = script.askByCode()
            script.finish(login, 200, scoped(1, "openid offline_access read"))
            script.wait(290)
            let renewal = script.askByRefreshToken(1)
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
    ]

    private static func cookie(seconds: Int) -> WireHeader {
        let flags = "Max-Age=\(seconds); HttpOnly; Secure; SameSite=Lax"
        return WireHeader("Set-Cookie", "session=\(TrafficScript.access(1)); \(flags)")
    }

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

    /// A pair with its scopes beside it.
    private static func scoped(_ number: Int, _ scopes: String) -> JSONValue {
        [
            "access_token": .string(TrafficScript.access(number)), "expires_in": 300,
            "refresh_token": .string(TrafficScript.refresh(number)), "scope": .string(scopes),
        ]
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
}
