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
