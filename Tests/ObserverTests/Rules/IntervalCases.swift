import Basics
import Model
import Observer

/// Clients that go on with a refused token, fast or slowly.
extension RuleCase {
    static let intervals: [RuleCase] =
        [3.0, 5, 30, 600, 3_600].map { pace in
            // A refresh token is at hand, and nobody uses it.
            RuleCase("no-refresh", nil, .bug, .likely) { script in
                script.logIn(life: 1e6)
                script.wait(290)
                return goOn(1, every: pace, for: max(12, 2 * pace), in: &script)
            } twin: { script in
                script.logIn(life: 1e6)
                script.wait(290)
                script.call(1, "/items", 401)
                script.wait(pace)
                script.call(1, "/items", 401)
                script.renew(1)
                script.call(2, "/others")
            }
        }
        + [3.0, 60, 3_600].map { pace in
            // No refresh token, and nobody logs in.
            RuleCase("loop-401", "dead-token", .risk, .likely) { script in
                script.logIn(life: 1e6, refresh: false)
                script.wait(290)
                return goOn(1, every: pace, for: 4 * pace, in: &script)
            } twin: { script in
                script.logIn(life: 1e6, refresh: false)
                script.wait(290)
                _ = goOn(1, every: pace, for: 3 * pace, in: &script)
                script.logIn(2, life: 1e6, refresh: false)
                script.call(2)
                _ = goOn(2, every: pace, for: 3 * pace, in: &script)
            }
        } + [
            RuleCase("loop-401", "dead-token", .bug, .likely) { script in
                script.logIn(life: 1e6, refresh: false)
                script.wait(290)
                return goOn(1, every: 60, for: 540, in: &script)
            } twin: { script in
                // Some endpoints refuse, another one does not.
                script.logIn(life: 1e6, refresh: false)
                script.wait(290)
                for path in ["/admin", "/audit", "/billing", "/logs", "/roles", "/users"] {
                    script.call(1, path, 401)
                    script.wait(30)
                    script.call(1)
                    script.wait(30)
                }
            },
            RuleCase("loop-401", "dead-token", .risk, .likely) { script in
                // Each request is for something else.
                script.logIn(life: 1e6, refresh: false)
                script.wait(290)
                return ["one", "two", "three", "four", "five"].map { name in
                    script.wait(1)
                    return script.call(1, "/\(name)", 401)
                }
            } twin: { script in
                // A page asks for many things at once.
                script.logIn(life: 1e6, refresh: false)
                script.wait(290)
                let numbers = ["one", "two", "three", "four", "five", "six"].map { name in
                    script.send("GET", "/\(name)", bearer: TrafficScript.access(1))
                }
                for number in numbers { script.finish(number, 401) }
                script.logIn(2)
            },
            RuleCase("no-refresh", nil, .bug, .likely) { script in
                // The backend of a socket refuses the token each time.
                script.logIn(life: 1e6)
                script.wait(290)
                return (1...3).map { _ in
                    script.wait(30)
                    return dial(1, in: &script)
                }
            } twin: { script in
                script.logIn(life: 1e6)
                script.wait(290)
                for number in 1...2 {
                    script.wait(30)
                    _ = dial(number, in: &script)
                    script.renew(number, life: 1e6)
                }
            },
            RuleCase("dead-refresh-loop", nil, .bug, .likely) { script in
                script.logIn()
                script.wait(290)
                let numbers = refuseBarely(60, in: &script)
                return [numbers[0]] + numbers.suffix(31)
            } twin: { script in
                script.logIn()
                script.wait(290)
                _ = refuseBarely(9, in: &script)
                script.renew(1)
            },
            RuleCase("dead-refresh-loop", "failing", .risk, .likely) { script in
                // The session is gone, which the backend says with 404.
                script.logIn()
                script.wait(290)
                return (1...6).map { _ in
                    script.wait(60)
                    return failRefresh(404, ["code": "session_not_found"], in: &script)
                }
            } twin: { script in
                script.logIn()
                script.wait(290)
                for _ in 1...3 {
                    _ = failRefresh(404, ["code": "session_not_found"], in: &script)
                    script.wait(60)
                }
                script.logIn(2)
            },
            RuleCase("loop-401", "fresh-token", .bug, .likely) { script in
                // Nothing says what the error means.
                script.logIn(life: 900)
                return (1...6).map { number in
                    let call = fail(number, in: &script)
                    script.renew(number, life: 900)
                    return call
                }
            } twin: { script in
                // The endpoint fails for another reason, and renewals come when they are due.
                script.logIn(life: 300)
                for number in 1...6 {
                    script.wait(285)
                    _ = fail(number, in: &script)
                    script.wait(5)
                    script.renew(number, life: 300)
                }
            },
        ]

    private static func failRefresh(
        _ status: Int,
        _ json: JSONValue,
        in script: inout TrafficScript
    ) -> Int {
        let number = script.askRefresh(1)
        script.finish(number, status, json)
        return number
    }

    private static func fail(_ generation: Int, in script: inout TrafficScript) -> Int {
        let call = script.send("GET", "/items", bearer: TrafficScript.access(generation))
        script.finish(call, 200, ["result": ["code": "E1007"], "error": "E1007"])
        return call
    }

    /// Presents an access token that is refused each time.
    private static func goOn(
        _ generation: Int,
        every pace: Double,
        for seconds: Double,
        in script: inout TrafficScript
    ) -> [Int] {
        stride(from: 0, through: seconds, by: pace).map { _ in
            let number = script.call(generation, "/items", 401)
            script.wait(pace - TrafficScript.roundTrip)
            return number
        }
    }

    private static func dial(_ generation: Int, in script: inout TrafficScript) -> Int {
        let socket = script.dial("/api/websocket")
        script.open(socket)
        let message: JSONValue = ["access_token": .string(TrafficScript.access(generation))]
        script.push(socket, from: .app, message)
        script.push(socket, ["type": "auth_invalid"])
        script.close(socket, by: .backend, code: 1000)
        return socket
    }

    private static func refuseBarely(_ count: Int, in script: inout TrafficScript) -> [Int] {
        (1...count).map { _ in
            let number = script.askRefresh(1)
            script.finish(number, 401, ["message": "Unauthorized"])
            script.wait(0.04)
            return number
        }
    }
}
