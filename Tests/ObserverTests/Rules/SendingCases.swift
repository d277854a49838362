import Basics
import Observer

/// Clients that send access tokens wrongly.
extension RuleCase {
    static let sending: [RuleCase] = [
        RuleCase("stale-token") { script in
            script.logIn()
            script.wait(290)
            let renewal = script.renew(1)
            script.wait(1)
            return [renewal, script.call(1, "/items", 401)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            // In progress when the renewal ends, and refused after it.
            let early = script.send("GET", "/items", bearer: TrafficScript.access(1))
            script.renew(1)
            script.finish(early, 401, ["error": "invalid_token"])
            script.wait(1)
            script.call(2)
        },
        RuleCase("stale-token", "stale-retry") { script in
            script.logIn()
            script.wait(290)
            let refused = script.call(1, "/items", 401)
            let renewal = script.renew(1)
            script.wait(1)
            return [refused, renewal, script.call(1, "/items", 401)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.call(1, "/items", 401)
            script.renew(1)
            script.wait(1)
            script.call(2)
        },
        RuleCase("loop-401") { script in
            script.logIn()
            script.wait(290)
            var numbers: [Int] = []
            for _ in 1...5 {
                numbers.append(script.call(1, "/items", 401))
                script.wait(1)
            }
            return numbers
        } twin: { script in
            script.logIn()
            script.wait(290)
            // A page asks for many things at once.
            let numbers = (1...8).map { _ in
                script.send("GET", "/items", bearer: TrafficScript.access(1))
            }
            for number in numbers { script.finish(number, 401, ["error": "invalid_token"]) }
            script.renew(1)
            script.call(2)
        },
        RuleCase("loop-401", "fresh-token") { script in
            script.logIn()
            script.wait(100)
            var numbers: [Int] = []
            for generation in 1...4 {
                numbers.append(script.call(generation, "/reports", 401))
                if generation < 4 { script.renew(generation) }
                script.wait(1)
            }
            return numbers
        } twin: { script in
            script.logIn()
            script.wait(100)
            for generation in 1...2 {
                script.call(generation, "/reports", 401)
                if generation < 2 { script.renew(generation) }
                script.wait(1)
            }
            script.call(2)
        },
    ]
}
