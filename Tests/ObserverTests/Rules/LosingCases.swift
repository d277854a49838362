import Basics
import FoundationEssentials
import Model
import Observer
import Profiles

/// Clients that do not cope with failures of a refresh, or with having none.
extension RuleCase {
    static let losing: [RuleCase] = [
        RuleCase("too-early", nil, .risk) { script in
            script.logIn()
            var numbers: [Int] = []
            for generation in 1...3 {
                script.wait(30)
                numbers.append(script.renew(generation))
            }
            return numbers
        } twin: { script in
            script.logIn()
            for generation in 1...4 {
                script.wait(generation == 3 ? 100 : 30)
                script.renew(generation)
            }
        },
        RuleCase("too-early", nil, .risk) { script in
            // However long the tokens live.
            script.logIn(life: 1_209_600)
            return (1...3).map { generation in
                script.wait(300)
                return script.renew(generation, life: 1_209_600)
            }
        } twin: { script in
            // At each start of the app.
            script.logIn(life: 1_209_600)
            for generation in 1...6 {
                script.wait(1_800)
                script.renew(generation, life: 1_209_600)
            }
        },
        RuleCase("too-early", nil, .bug) { script in
            script.logIn()
            var numbers: [Int] = []
            for generation in 1...5 {
                script.wait(5)
                numbers.append(script.renew(generation))
            }
            return numbers
        } twin: { script in
            // After a refusal it is never too early.
            script.logIn(life: 300)
            for generation in 1...4 {
                script.wait(30)
                script.call(generation, "/other/page-\(generation)", 401)
                script.renew(generation)
                script.call(generation + 1, "/another")
            }
        },
        RuleCase("too-early", "fixed-lead", .note, .likely) { script in
            // The lead of a library, 225 s, where tokens live 240 s.
            script.logIn(life: 240)
            var numbers: [Int] = []
            for generation in 1...4 {
                for _ in 1...15 {
                    script.wait(1)
                    script.call(generation)
                }
                numbers.append(script.renew(generation, life: 240))
            }
            return numbers
        } twin: { script in
            // The same lead, where they live longer.
            script.logIn(life: 1_500)
            for generation in 1...4 {
                for _ in 1...15 {
                    script.wait(85)
                    script.call(generation)
                }
                script.renew(generation, life: 1_500)
            }
        },
        RuleCase("too-early", nil, .bug) { script in
            // Each request is preceded by a refresh.
            script.logIn()
            var numbers: [Int] = []
            for generation in 1...5 {
                script.call(generation)
                script.wait(5)
                numbers.append(script.renew(generation))
            }
            return numbers
        } twin: { script in
            script.logIn()
            for generation in 1...5 {
                script.call(generation)
                script.wait(250)
                script.renew(generation)
            }
        },
        RuleCase("too-early", "clock", .risk, .likely) { script in
            // The end that each token states has passed by the clock of the app.
            renewAtLateBackend(every: 8, in: &script)
        } twin: { script in
            _ = renewAtLateBackend(every: 270, in: &script)
        },
        RuleCase("lost-answer", "recovered", .note) { script in
            script.logIn()
            script.wait(290)
            let lost = script.askRefresh(1)
            script.wait(0.1)
            script.answer(lost, 200, TrafficScript.pair(2))
            script.deliver(lost, whole: false)
            script.wait(1)
            return [lost, script.renew(1)]
        } twin: { script in
            // Nothing was lost: the request never reached the backend.
            script.logIn()
            script.wait(290)
            let unsent = script.askRefresh(1)
            script.fail(unsent, .notSent(message: "connection refused"))
            script.wait(1)
            script.renew(1)
        },
        RuleCase("lost-answer", "rotation-lost") { script in
            script.logIn()
            script.wait(290)
            let lost = script.askRefresh(1)
            script.wait(5)
            script.fail(lost, .abandoned)
            script.wait(1)
            return [lost, script.refuseRefresh(1)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let slow = script.askRefresh(1)
            script.wait(5)
            script.finish(slow, 200, TrafficScript.pair(2))
            script.call(2)
        },
        // It closes its connection, which the proxy writes the answer to all the same.
        RuleCase("lost-answer", "rotation-lost") { script in
            script.logIn()
            script.wait(290)
            let lost = script.askRefresh(1)
            script.wait(3)
            script.giveUp(lost)
            script.wait(3)
            script.answer(lost, 200, TrafficScript.pair(2))
            script.deliver(lost, whole: false)
            script.wait(5)
            script.connection = 2
            return [lost, script.refuseRefresh(1)]
        } twin: { script in
            // It had ended its half alone, and has read the answer.
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.giveUp(renewal)
            script.wait(3)
            script.answer(renewal, 200, TrafficScript.pair(2))
            script.deliver(renewal, whole: false)
            script.connection = 2
            script.call(2)
            script.wait(280)
            script.renew(2)
        },
        // The second attempt is answered before the one that it gave up.
        RuleCase("lost-answer", "rotation-lost") { script in
            script.logIn()
            script.wait(290)
            let lost = script.askRefresh(1)
            script.wait(3)
            script.giveUp(lost)
            script.wait(1)
            script.connection = 2
            let refused = script.refuseRefresh(1)
            script.wait(1)
            script.answer(lost, 200, TrafficScript.pair(2))
            script.deliver(lost, whole: false)
            return [lost, refused]
        } twin: { script in
            // A client that presents the refresh token has got it, too.
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.giveUp(renewal)
            script.wait(1)
            script.answer(renewal, 200, TrafficScript.pair(2))
            script.deliver(renewal, whole: false)
            script.wait(290)
            script.connection = 2
            script.renew(2)
        },
        RuleCase("lost-answer", "not-repeated") { script in
            script.logIn()
            script.wait(290)
            let lost = script.askRefresh(1)
            script.wait(1)
            script.fail(lost, .unanswered(message: "reset"))
            script.wait(20)
            return [lost, script.logIn(5)]
        } twin: { script in
            // The app is gone, too.
            script.logIn()
            script.wait(290)
            let lost = script.askRefresh(1)
            script.wait(1)
            script.fail(lost, .abandoned)
        },
        RuleCase("no-refresh", nil, .bug, .likely) { script in
            script.logIn()
            script.wait(290)
            let refused = script.call(1, "/items", 401)
            script.wait(5)
            let next = script.send("GET", "/public")
            script.finish(next, 200)
            _ = script.call(1, "/other", 401)
            script.wait(30)
            return [refused, next]
        } twin: { script in
            // The token is good: the refusal was about the endpoint.
            script.logIn()
            script.wait(290)
            script.call(1, "/admin", 401)
            script.wait(5)
            script.call(1, "/items", 200)
            script.wait(4)
            script.renew(1)
        },
        RuleCase("no-refresh", "logged-out-on-401", .bug, .likely) { script in
            script.logIn()
            script.wait(290)
            let refused = script.call(1, "/items", 401)
            script.wait(1)
            return [refused, script.logOut(1)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.call(1, "/items", 401)
            script.refuseRefresh(1)
            script.wait(1)
            script.logOut(1)
        },
        RuleCase("gave-up", nil, .bug, .likely) { script in
            script.logIn()
            script.wait(290)
            let failed = script.askRefresh(1)
            script.finish(failed, 503)
            script.wait(2)
            return [failed, script.logOut(1)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let failed = script.askRefresh(1)
            script.finish(failed, 503)
            script.wait(2)
            script.refuseRefresh(1)
            script.wait(2)
            script.logOut(1)
        },
        // It does not wait for a moment.
        RuleCase("gave-up", nil, .bug, .likely) { script in
            script.logIn()
            script.wait(290)
            let failed = script.askRefresh(1)
            script.finish(failed, 502)
            script.wait(0.005)
            return [failed, script.logOut(1)]
        } twin: { script in
            // The user had asked for it before.
            script.logIn()
            script.wait(290)
            let failed = script.askRefresh(1)
            let logout = script.send(
                "POST",
                "/auth/logout",
                bearer: TrafficScript.access(1),
                json: ["refresh_token": .string(TrafficScript.refresh(1))]
            )
            script.finish(failed, 502)
            script.finish(logout, 204)
        },
        // No answer says when the refresh token ends.
        RuleCase("gave-up", nil, .risk, .likely) { script in
            script.logIn()
            script.wait(290)
            let failed = script.askRefresh(1)
            script.finish(failed, 503)
            script.wait(20)
            return [failed, script.logIn(2)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let failed = script.askRefresh(1)
            script.finish(failed, 503)
            script.wait(2)
            script.renew(1)
            script.wait(2)
            script.logIn(3)
        },
        RuleCase("kept-nothing", nil, .bug, .likely) { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
            script.wait(301)
            return [renewal, script.logIn(7)]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
            script.wait(290)
            let next = script.askRefresh(1)
            script.finish(next, 200, TrafficScript.pair(3, refresh: false))
        },
        RuleCase("no-backoff", nil, .risk) { script in
            // The code says so, and not the status.
            script.logIn()
            script.wait(290)
            return (1...6).map { _ in
                let throttled = script.askRefresh(1)
                script.finish(throttled, 400, ["__type": "TooManyRequestsException"])
                script.wait(0.2)
                return throttled
            }
        } twin: { script in
            script.logIn()
            script.wait(250)
            for wait in [1.0, 2, 4, 8] {
                let throttled = script.askRefresh(1)
                script.finish(throttled, 400, ["__type": "TooManyRequestsException"])
                script.wait(wait)
            }
            script.renew(1)
        },
        RuleCase("no-backoff", "retry-after", .risk) { script in
            script.logIn()
            script.wait(290)
            let limited = script.askRefresh(1)
            script.finish(limited, 429, headers: [WireHeader("Retry-After", "30")])
            script.wait(3)
            let again = script.askRefresh(1)
            script.finish(again, 200, TrafficScript.pair(2))
            return [limited, again]
        } twin: { script in
            script.logIn()
            script.wait(290)
            let limited = script.askRefresh(1)
            script.finish(limited, 429, headers: [WireHeader("Retry-After", "30")])
            script.wait(31)
            script.renew(1)
        },
        RuleCase("no-backoff", nil, .risk) { script in
            script.logIn()
            var numbers: [Int] = []
            for _ in 1...6 {
                script.wait(0.5)
                numbers.append(script.call(1, "/items", 503))
            }
            return numbers
        } twin: { script in
            script.logIn()
            for wait in [0.5, 1, 2, 4, 8, 16] {
                script.wait(wait)
                script.call(1, "/items", 503)
            }
        },
    ]

    /// Renews the tokens of a backend whose clock is 400 s behind, and that live 300 s.
    private static func renewAtLateBackend(
        every seconds: Double,
        in script: inout TrafficScript
    ) -> [Int] {
        let behind = 400.0
        func issue(_ number: Int, in exchange: Int, _ script: inout TrafficScript) {
            let claims: JSONValue = [
                "iat": script.epoch(in: -behind), "exp": script.epoch(in: 300 - behind),
                "jti": .integer(Int64(number)),
            ]
            let date = HTTPDate.format(script.now.wall.addingTimeInterval(-behind))
            let pair = TrafficScript.pair(number, claims: claims)
            script.finish(exchange, 200, pair, headers: [WireHeader("Date", date)])
        }
        let body: JSONValue = ["username": "ada", "password": "correct"]
        issue(1, in: script.send("POST", "/login", json: body), &script)
        return (1...4).map { number in
            script.wait(seconds)
            let renewal = script.askRefresh(number)
            issue(number + 1, in: renewal, &script)
            return renewal
        }
    }
}
