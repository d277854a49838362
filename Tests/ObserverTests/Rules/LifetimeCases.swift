import Basics
import Model
import Observer
import Profiles

/// Access and refresh tokens that are sent after their end, or refused before it.
extension RuleCase {
    static let lifetimes: [RuleCase] = [
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
    ]

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
}
