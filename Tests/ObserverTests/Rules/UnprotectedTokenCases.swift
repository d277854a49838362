import Basics
import Model
import Observer
import Profiles

/// Answers that leave their tokens without the protection that they need.
extension RuleCase {
    static let unprotectedTokens: [RuleCase] = [
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
            script.finish(login, 200, headers: [cookie("; Path=/")])
            return [login]
        } twin: { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            script.finish(login, 200, headers: [cookie("; Path=/; HttpOnly; Secure; SameSite=Lax")])
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

    private static func cookie(_ attributes: String) -> WireHeader {
        WireHeader("Set-Cookie", "access_token=cookie-of-the-app-1\(attributes)")
    }
}
