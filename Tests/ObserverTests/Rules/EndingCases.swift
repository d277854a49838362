import Model
import Observer
import Profiles

@testable import Basics

/// Sessions that do not end with their logout, and logins that end none.
extension RuleCase {
    static let ending: [RuleCase] = [
        RuleCase("alive-after-logout", nil, .risk) { script in
            script.logIn()
            let logout = script.logOut(1)
            script.wait(3)
            return [logout, script.call(1)]
        } twin: { script in
            script.logIn()
            // In progress when the logout is acknowledged.
            let early = script.send("GET", "/items", bearer: TrafficScript.access(1))
            script.logOut(1)
            script.finish(early, 200, ["items": []])
        },
        RuleCase("alive-after-logout", "used-after-logout", .bug, .likely) { script in
            script.logIn()
            let logout = script.logOut(1)
            script.wait(3)
            return [logout, script.call(1, "/items", 401)]
        } twin: { script in
            script.logIn()
            script.logOut(1)
            script.wait(3)
            script.logIn(2)
            script.call(2)
        },
        RuleCase("resurrected") { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.wait(0.1)
            let logout = script.logOut(1)
            script.finish(renewal, 200, TrafficScript.pair(2))
            script.wait(1)
            return [renewal, logout, script.call(2)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.wait(0.1)
            script.logOut(1)
            script.finish(renewal, 200, TrafficScript.pair(2))
            script.wait(1)
            script.logOut(2)
        },
        RuleCase("login-storm", nil, .risk) { script in
            var numbers: [Int] = []
            for login in 1...3 {
                numbers.append(script.logIn(login))
                script.wait(10)
            }
            return numbers
        } twin: { script in
            for login in 1...4 {
                script.logIn(login)
                script.wait(10)
                script.logOut(login)
            }
        },
        RuleCase("login-storm", nil, .risk) { script in
            // A client that takes a new token for each call.
            (1...3).map { script.takeToken($0, for: "scope=search") }
        } twin: { script in
            // One for each service.
            for number in 1...4 { script.takeToken(number, for: "scope=service-\(number)") }
        },
        RuleCase("login-storm", nil, .risk, .likely) { script in
            (1...3).map { number in
                let login = script.send("POST", "/login", headers: [TrafficScript.basic])
                script.finish(login, 200, TrafficScript.pair(number))
                script.wait(2)
                return login
            }
        } twin: { script in
            // Tokens that end at once are renewed by nothing else.
            for number in 1...4 {
                script.takeToken(number, for: "scope=search", life: 10)
                script.wait(8)
            }
        },
        RuleCase("silent-logout", nil, .note) { script in
            script.logIn(1)
            let logout = script.logOut(1)
            script.wait(100)
            script.logIn(2)
            script.wait(100)
            let login = script.send(
                "POST",
                "/login",
                bearer: TrafficScript.access(2),
                json: ["username": "ada", "password": "correct"]
            )
            script.finish(login, 200, TrafficScript.pair(3))
            return [logout, login]
        } twin: { script in
            script.logIn(1)
            script.logOut(1)
            script.wait(100)
            script.logIn(2)
            script.logOut(2)
            script.wait(100)
            script.logIn(3)
        },
    ]
}

extension TrafficScript {
    fileprivate static let basic = WireHeader("Authorization", "Basic Y2xpZW50OnNlY3JldA==")

    /// Takes an access token with the credentials of a client (RFC 6749 section 4.4), and uses it.
    @discardableResult
    fileprivate mutating func takeToken(
        _ number: Int,
        for words: String,
        life: Double = 3_600
    ) -> Int {
        let token = send(
            "POST",
            "/token",
            headers: [Self.basic],
            form: "grant_type=client_credentials&\(words)"
        )
        finish(token, 200, Self.pair(number, life: life, refresh: false))
        wait(1)
        call(number)
        wait(1)
        return token
    }
}
