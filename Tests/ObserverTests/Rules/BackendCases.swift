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

    private static func cookie(_ value: String?, flags: Bool = true) -> WireHeader {
        let attributes = flags ? "; Path=/; HttpOnly; Secure; SameSite=Lax" : "; Path=/"
        let end = value == nil ? "; Max-Age=0" : ""
        return WireHeader("Set-Cookie", "access_token=\(value ?? "")\(attributes)\(end)")
    }

    static let backends: [RuleCase] = [
        RuleCase("expired-sent", nil, .risk) { script in
            script.logIn()
            script.wait(310)
            let late = script.call(1, "/items", 401)
            script.renew(1)
            script.call(2)
            return [late]
        } twin: { script in
            script.logIn()
            script.wait(301)
            script.call(1, "/items", 401)
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
            script.logIn()
            script.wait(290)
            let renewal = script.send("POST", "/renew?refresh_token=\(TrafficScript.refresh(1))")
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
