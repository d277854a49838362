import Basics
import Model
import Observer
import Profiles

/// Clients that refresh wrongly, with refresh tokens under names that say nothing of them.
extension RuleCase {
    static let unnamed: [RuleCase] = [
        RuleCase("spent-refresh", "not-stored", .bug, .likely) { script in
            UnnamedTraffic.logIn(&script)
            _ = UnnamedTraffic.renew(1, after: 290, &script)
            let renewal = UnnamedTraffic.renew(2, after: 290, &script)
            script.wait(280)
            let again = UnnamedTraffic.ask(2, &script)
            script.finish(again, 400, ["result": ["code": "E2001"]])
            return [renewal, again]
        } twin: { script in
            UnnamedTraffic.logIn(&script)
            for number in 1...3 { _ = UnnamedTraffic.renew(number, after: 290, &script) }
        },
        RuleCase("spent-refresh", "not-stored", .risk, .likely) { script in
            // The first renewal shows what the value is good for.
            UnnamedTraffic.logIn(&script)
            let renewal = UnnamedTraffic.renew(1, after: 290, &script)
            script.wait(280)
            let again = UnnamedTraffic.ask(1, &script)
            script.finish(again, 200, UnnamedTraffic.pair(3))
            return [renewal, again]
        } twin: { script in
            // A value that no answer replaces may be sent indefinitely.
            UnnamedTraffic.logIn(&script)
            for number in 2...5 {
                script.wait(290)
                let renewal = UnnamedTraffic.ask(1, &script)
                script.finish(renewal, 200, ["jwt": .string(TrafficScript.access(number))])
                script.call(number)
            }
        },
        RuleCase("race", nil, .bug, .likely) { script in
            UnnamedTraffic.logIn(&script)
            _ = UnnamedTraffic.renew(1, after: 290, &script)
            script.wait(290)
            let first = UnnamedTraffic.ask(2, &script)
            script.wait(0.013)
            let second = UnnamedTraffic.ask(2, &script)
            script.finish(first, 200, UnnamedTraffic.pair(3))
            script.finish(second, 400, ["result": ["code": "E2001"]])
            return [first, second]
        } twin: { script in
            // Requests at once that carry an id bring no tokens.
            UnnamedTraffic.logIn(&script)
            _ = UnnamedTraffic.renew(1, after: 290, &script)
            let calls = (1...2).map { _ in
                script.send(
                    "POST",
                    "/orders",
                    bearer: TrafficScript.access(2),
                    json: ["renewalKey": .string(UnnamedTraffic.key(2))]
                )
            }
            for call in calls { script.finish(call, 200, ["count": 1]) }
            _ = UnnamedTraffic.renew(2, after: 200, &script)
        },
        RuleCase("lost-answer", "rotation-lost", .bug, .likely) { script in
            UnnamedTraffic.logIn(&script)
            _ = UnnamedTraffic.renew(1, after: 290, &script)
            script.wait(290)
            let lost = UnnamedTraffic.ask(2, &script)
            script.wait(1)
            script.answer(lost, 200, UnnamedTraffic.pair(3))
            script.deliver(lost, whole: false)
            script.wait(1)
            let again = UnnamedTraffic.ask(2, &script)
            script.finish(again, 401, ["result": ["code": "E2001"]])
            return [lost, again]
        } twin: { script in
            UnnamedTraffic.logIn(&script)
            _ = UnnamedTraffic.renew(1, after: 290, &script)
            script.wait(290)
            let failed = UnnamedTraffic.ask(2, &script)
            script.finish(failed, 503)
            script.wait(5)
            _ = UnnamedTraffic.renew(2, after: 0, &script)
        },
    ]
}

/// A backend that has names of its own for its refresh tokens.
enum UnnamedTraffic {
    /// A value as random ones look.
    static func key(_ number: Int) -> String { "Zk3v9Qx7Lm2Rt8YwB5nD\(number)" }

    static func pair(_ number: Int) -> JSONValue {
        [
            "jwt": .string(TrafficScript.access(number)), "lifetime": 300,
            "renewalKey": .string(key(number)),
        ]
    }

    static func logIn(_ script: inout TrafficScript) {
        let login = script.send("POST", "/enter", json: ["username": "ada", "password": "correct"])
        script.finish(login, 200, pair(1))
        script.call(1)
    }

    static func ask(_ number: Int, _ script: inout TrafficScript) -> Int {
        script.send("POST", "/prolong", json: ["renewalKey": .string(key(number))])
    }

    static func renew(_ number: Int, after wait: Double, _ script: inout TrafficScript) -> Int {
        script.wait(wait)
        let renewal = ask(number, &script)
        script.finish(renewal, 200, pair(number + 1))
        script.call(number + 1)
        return renewal
    }
}
