import Basics
import Model
import Observer
import Profiles

/// Clients and backends whose sockets outlive their tokens, or do not come back.
extension RuleCase {
    static let sockets: [RuleCase] = [
        RuleCase("socket-stale-dial") { script in
            script.logIn()
            script.wait(290)
            let renewal = script.renew(1)
            script.wait(1)
            let dial = script.dial("/feed", bearer: TrafficScript.access(1))
            script.finish(dial, 401)
            return [renewal, dial]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(1)
            let dial = script.dial("/feed", bearer: TrafficScript.access(2))
            script.open(dial)
        },
        RuleCase("socket-stale-dial", "expired") { script in
            script.logIn()
            script.wait(310)
            let dial = script.dial("/feed", bearer: TrafficScript.access(1))
            script.finish(dial, 401)
            return [dial]
        } twin: { script in
            script.logIn()
            script.wait(299)
            let dial = script.dial("/feed", bearer: TrafficScript.access(1))
            script.finish(dial, 401)
        },
        RuleCase("socket-stale-dial", "expired") { script in
            script.logIn()
            script.wait(310)
            let dial = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(dial)
            script.close(dial, by: .backend, code: 4401)
            return [dial]
        } twin: { script in
            script.logIn()
            script.wait(280)
            let dial = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(dial)
            script.wait(20)
            script.close(dial, by: .backend, code: 4401)
        },
        RuleCase("socket-stale-dial", "expired") { script in
            script.logIn()
            script.wait(310)
            let dial = script.dial("/feed")
            script.open(dial)
            script.push(dial, from: .app, ["token": .string(TrafficScript.access(1))])
            script.close(dial, by: .backend, code: 1008)
            return [dial]
        } twin: { script in
            script.logIn()
            script.wait(280)
            let dial = script.dial("/feed")
            script.open(dial)
            script.push(dial, from: .app, ["token": .string(TrafficScript.access(1))])
            script.wait(1)
            script.close(dial, by: .backend, code: 1008)
        },
        RuleCase("socket-stale-dial", "expired") { script in
            script.logIn()
            script.wait(310)
            let dial = script.dial("/api/websocket", bearer: TrafficScript.access(1))
            script.open(dial)
            script.push(dial, ["type": "auth_invalid"])
            return [dial]
        } twin: { script in
            script.logIn()
            script.wait(280)
            let dial = script.dial("/api/websocket", bearer: TrafficScript.access(1))
            script.open(dial)
            script.push(dial, ["type": "auth_invalid"])
        },
        RuleCase("socket-stale-dial") { script in
            // The backend takes its time to refuse what a message presents.
            script.logIn()
            script.wait(290)
            let renewal = script.renew(1)
            script.wait(1)
            let dial = script.dial("/api/websocket")
            script.open(dial)
            script.push(
                dial,
                from: .app,
                ["type": "auth", "access_token": .string(TrafficScript.access(1))]
            )
            script.wait(3)
            script.push(dial, ["type": "auth_invalid"])
            return [renewal, dial]
        } twin: { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(1)
            let dial = script.dial("/api/websocket")
            script.open(dial)
            script.push(
                dial,
                from: .app,
                ["type": "auth", "access_token": .string(TrafficScript.access(2))]
            )
            script.wait(3)
            script.push(dial, ["type": "auth_ok"])
        },
        RuleCase("socket-stale-dial", "socket-loop") { script in
            script.logIn()
            var numbers: [Int] = []
            for _ in 1...5 {
                script.wait(2)
                let dial = script.dial("/api/websocket")
                script.open(dial)
                let message: JSONValue = ["access_token": .string(TrafficScript.access(1))]
                script.push(dial, from: .app, message)
                script.push(dial, ["type": "auth_invalid"])
                script.close(dial, by: .backend, code: 1000)
                numbers.append(dial)
            }
            return numbers
        } twin: { script in
            script.logIn()
            for _ in 1...5 {
                script.wait(2)
                let dial = script.dial("/api/websocket")
                script.open(dial)
                let message: JSONValue = ["access_token": .string(TrafficScript.access(1))]
                script.push(dial, from: .app, message)
                script.push(dial, ["type": "auth_ok"])
                script.close(dial, by: .app, code: 1000)
            }
        },
        RuleCase("socket-stale-dial", "socket-loop") { script in
            script.logIn()
            var numbers: [Int] = []
            for _ in 1...5 {
                script.wait(2)
                let dial = script.dial("/feed", bearer: TrafficScript.access(1))
                script.finish(dial, 403)
                numbers.append(dial)
            }
            return numbers
        } twin: { script in
            script.logIn()
            for _ in 1...5 {
                script.wait(15)
                let dial = script.dial("/feed", bearer: TrafficScript.access(1))
                script.finish(dial, 403)
            }
        },
        RuleCase("socket-after-logout") { script in
            script.logIn()
            let socket = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(socket)
            let logout = script.logOut(1)
            script.wait(5)
            script.push(socket, ["seq": 1])
            return [logout, socket]
        } twin: { script in
            script.logIn()
            let socket = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(socket)
            script.logOut(1)
            script.wait(1)
            script.push(socket, ["seq": 1])
            script.close(socket, by: .app, code: 1000)
        },
        RuleCase("socket-not-back", nil, .bug, .likely) { script in
            script.logIn(life: 3_600)
            let socket = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(socket)
            script.wait(100)
            script.close(socket, by: .backend, code: nil)
            for _ in 1...7 {
                script.wait(10)
                script.call(1)
            }
            return [socket]
        } twin: { script in
            script.logIn(life: 3_600)
            let socket = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(socket)
            script.wait(100)
            script.close(socket, by: .backend, code: nil)
            script.wait(10)
            script.call(1)
            let again = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(again)
            for _ in 1...7 {
                script.wait(10)
                script.call(1)
            }
        },
        RuleCase("socket-old-token", nil, .note) { script in
            script.logIn()
            let socket = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(socket)
            script.wait(200)
            let renewal = script.renew(1)
            script.wait(40)
            script.close(socket, by: .app, code: 1000)
            return [socket, renewal]
        } twin: { script in
            script.logIn()
            let socket = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(socket)
            script.wait(200)
            script.renew(1)
            script.push(
                socket,
                from: .app,
                ["type": "auth", "token": .string(TrafficScript.access(2))]
            )
            script.wait(60)
        },
        RuleCase("socket-old-token", "silent", .risk, .likely) { script in
            script.logIn()
            let socket = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(socket)
            for _ in 1...59 {
                script.wait(5)
                script.push(socket, ["type": "tick"])
            }
            script.wait(60)
            return [socket]
        } twin: { script in
            script.logIn()
            let socket = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(socket)
            // Seldom, and beyond the end.
            for wait in [5.0, 80, 5, 5, 90, 5, 5, 80, 5, 120] {
                script.wait(wait)
                script.push(socket, ["type": "tick"])
            }
            script.wait(100)
        },
        RuleCase("feed-gap", nil, .risk) { script in
            script.logIn(life: 3_600)
            let first = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(first)
            for number in 1...25 { script.push(first, ["seq": .integer(Int64(number))]) }
            script.close(first, by: .backend, code: 1012)
            script.wait(1)
            let second = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(second)
            script.push(second, ["seq": 29])
            return [first, second]
        } twin: { script in
            script.logIn(life: 3_600)
            let first = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(first)
            for number in 1...25 { script.push(first, ["seq": .integer(Int64(number))]) }
            script.close(first, by: .backend, code: 1012)
            script.wait(1)
            let second = script.dial("/feed", bearer: TrafficScript.access(1))
            script.open(second)
            script.push(second, ["seq": 26])
        },
        RuleCase("token-in-url", "socket", .note) { script in
            script.logIn()
            let dial = script.send(
                "GET",
                "/feed?token=\(TrafficScript.access(1))",
                headers: [
                    WireHeader("Upgrade", "websocket"),
                    WireHeader("Origin", "http://localhost:5173"),
                ]
            )
            script.open(dial)
            return [dial]
        } twin: { script in
            script.logIn()
            let dial = script.dial("/feed?token=\(TrafficScript.access(1))")
            script.open(dial)
        },
    ]
}
