import Basics
import Model
import Observer
import Profiles

/// Clients that refresh wrongly.
extension RuleCase {
    static let refreshing: [RuleCase] = [
        RuleCase("race") { script in
            script.logIn()
            script.wait(290)
            let first = script.askRefresh(1)
            script.wait(0.013)
            let second = script.askRefresh(1)
            script.finish(first, 200, TrafficScript.pair(2))
            script.finish(second, 400, ["error": "invalid_grant"])
            return [first, second]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let first = script.askRefresh(1)
            // The app waits for the answer, and asks again.
            script.finish(first, 503)
            script.wait(0.013)
            script.renew(1)
        },
        RuleCase("race") { script in
            // Mutations of GraphQL, one of which is refused with a code that says little.
            func renew() -> Int {
                script.send(
                    "POST",
                    "/graphql",
                    json: ["query": "mutation", "variables": ["appToken": token]]
                )
            }
            let token = JSONValue.string(TrafficScript.refresh(1))
            script.logIn()
            script.wait(290)
            let first = renew()
            script.wait(0.013)
            let second = renew()
            script.finish(first, 200, ["data": ["renew": TrafficScript.pair(2)]])
            script.finish(
                second,
                200,
                ["errors": [["extensions": ["code": "FORBIDDEN"]]], "data": .null]
            )
            return [first, second]
        } twin: { script in
            // Other mutations that take the refresh token bring nothing, and refuse nothing.
            script.logIn()
            script.wait(100)
            for _ in 1...2 {
                let exchange = script.send(
                    "POST",
                    "/graphql",
                    json: ["variables": ["appToken": .string(TrafficScript.refresh(1))]]
                )
                script.finish(exchange, 200, ["data": ["describe": ["ok": true]]])
            }
        },
        RuleCase("race", nil, .bug, .likely) { script in
            // The second began before the app can be expected to have stored the answer.
            script.logIn()
            script.wait(290)
            let first = script.renew(1)
            script.wait(0.023)
            script.connection = 2
            return [first, script.refuseRefresh(1)]
        } twin: { script in
            // A refresh token that is not replaced may be sent again at once.
            script.logIn()
            script.wait(290)
            for number in 2...3 {
                let renewal = script.askRefresh(1)
                script.finish(renewal, 200, TrafficScript.pair(number, refresh: false))
                script.wait(0.023)
            }
        },
        RuleCase("race") { script in
            // The connection that brought the answer is free for the second at once.
            script.logIn()
            script.wait(290)
            let first = script.renew(1)
            script.wait(0.003)
            return [first, script.refuseRefresh(1)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(0.003)
            script.call(2)
        },
        RuleCase("spent-refresh", "not-stored") { script in
            // The connection had brought the new one a moment before.
            script.logIn()
            script.wait(290)
            let renewal = script.renew(1)
            script.wait(0.21)
            return [renewal, script.refuseRefresh(1)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(0.21)
            script.renew(2)
        },
        RuleCase("spent-refresh", "not-stored") { script in
            script.logIn()
            script.wait(290)
            let renewal = script.renew(1)
            script.wait(280)
            return [renewal, script.refuseRefresh(1)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(280)
            script.renew(2)
        },
        RuleCase("spent-refresh", "not-persisted") { script in
            script.logIn()
            script.wait(290)
            let renewal = script.renew(1)
            script.wait(60)
            script.connection = 2
            return [renewal, script.refuseRefresh(1)]
        } twin: { script in
            // A refresh token that is not replaced may be used indefinitely.
            script.logIn()
            for number in 2...4 {
                script.wait(280)
                let renewal = script.askRefresh(1)
                script.finish(renewal, 200, TrafficScript.pair(number, refresh: false))
            }
        },
        RuleCase("spent-refresh", "not-stored", .risk) { script in
            script.logIn()
            script.wait(290)
            let renewal = script.renew(1)
            script.wait(280)
            let again = script.askRefresh(1)
            script.finish(again, 200, TrafficScript.pair(3))
            return [renewal, again]
        } twin: { script in
            // A request that the backend could not answer replaced nothing.
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 503)
            script.wait(1)
            script.renew(1)
        },
        RuleCase("race", "each-answer", .bug, .likely) { script in
            // Each answer brings another token, and those to two requests at once one each.
            let pair = rollTwice(&script)
            return pair + [roll(6, 401, in: &script)]
        } twin: { script in
            // The backend knows both of them for a while.
            _ = rollTwice(&script)
            _ = roll(6, brings: 7, in: &script)
            _ = roll(7, brings: 8, in: &script)
        },
        RuleCase("dead-refresh-loop") { script in
            script.logIn()
            script.wait(290)
            var numbers = [script.refuseRefresh(1)]
            for _ in 1...3 {
                script.wait(20)
                numbers.append(script.refuseRefresh(1))
            }
            return numbers
        } twin: { script in
            script.logIn()
            script.wait(290)
            for _ in 1...4 {
                let renewal = script.askRefresh(1)
                script.finish(renewal, 503)
                script.wait(20)
            }
            script.refuseRefresh(1)
        },
    ]
    /// A request with a header whose value each answer replaces.
    private static func roll(
        _ number: Int,
        _ status: Int = 200,
        brings next: Int? = nil,
        in script: inout TrafficScript
    ) -> Int {
        let exchange = sendRolling(number, in: &script)
        finish(exchange, status, brings: next, in: &script)
        return exchange
    }

    private static func sendRolling(_ number: Int, in script: inout TrafficScript) -> Int {
        let token = WireHeader("access-token", TrafficScript.access(number))
        return script.send("GET", "/items", headers: [token])
    }

    private static func finish(
        _ exchange: Int,
        _ status: Int = 200,
        brings next: Int?,
        in script: inout TrafficScript
    ) {
        let token = next.map { WireHeader("access-token", TrafficScript.access($0)) }
        script.finish(exchange, status, headers: [token].compactMap(\.self))
    }

    /// Signs in, sends some requests, and then two at once.
    private static func rollTwice(_ script: inout TrafficScript) -> [Int] {
        let login = script.send(
            "POST",
            "/sign_in",
            json: ["email": "a@b.c", "password": "correct"]
        )
        finish(login, brings: 1, in: &script)
        for number in 1...3 {
            script.wait(1)
            _ = roll(number, brings: number + 1, in: &script)
        }
        script.wait(1)
        let pair = (1...2).map { _ in sendRolling(4, in: &script) }
        finish(pair[0], brings: 5, in: &script)
        finish(pair[1], brings: 6, in: &script)
        script.wait(1)
        return pair
    }
}
