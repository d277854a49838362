import Basics
import FoundationEssentials
import Model
import Observer
import Profiles
import Testing

/// The behavior of a healthy app that has bad luck, or a slow machine.
struct HealthyAppCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: String
    let act: @Sendable (inout TrafficScript) -> Void

    init(_ rule: String, _ what: String, act: @escaping @Sendable (inout TrafficScript) -> Void) {
        testDescription = "\(rule): \(what)"
        self.rule = rule
        self.act = act
    }
}

extension HealthyAppCase {
    static let all = [
        HealthyAppCase("gave-up", "it logs out after its third try") { script in
            script.logIn()
            script.wait(290)
            for _ in 0..<3 {
                let failed = script.askRefresh(1)
                script.finish(failed, 503)
                script.wait(5)
            }
            script.wait(53)
            script.logOut(1)
        },
        HealthyAppCase("loop-401", "it renews each time, and sends the old token") { script in
            script.logIn(life: 6)
            script.wait(6)
            for number in 1...6 {
                script.call(1, "/items", 401)
                script.renew(number, life: 6)
                script.call(1, "/items", 401)
                script.wait(1.5)
            }
        },
        HealthyAppCase("loop-401", "its tokens end on their way to a slow backend") { script in
            script.logIn(life: 2)
            for number in 1...5 {
                script.wait(1.97)
                script.call(number, "/items", 401)
                script.renew(number, life: 2)
            }
        },
        HealthyAppCase("loop-401", "it waits before it renews once more for refusals") { script in
            script.logIn()
            script.wait(100)
            for number in 1...6 {
                script.call(number, "/items", 401)
                if number.isMultiple(of: 3) { script.wait(30) }
                script.renew(number)
            }
        },
        HealthyAppCase("loop-401", "each of its tokens is refused after a while") { script in
            script.logIn()
            script.wait(100)
            for number in 1...6 {
                script.call(number, "/items", 401)
                script.renew(number)
                script.wait(5)
            }
        },
        HealthyAppCase(
            "loop-401",
            "it goes on with each token until one is refused that is not new"
        ) { script in
            script.logIn(life: 18)
            script.wait(8)
            for number in 1...6 {
                script.call(number, "/items", 401)
                script.wait(5)
                script.call(number, "/items", 401)
                script.renew(number, life: 18)
            }
        },
        HealthyAppCase("gave-up", "it logs in since its refresh token has ended") { script in
            let login = script.send(
                "POST",
                "/login",
                json: ["username": "ada", "password": "correct"]
            )
            let pair: JSONValue = [
                "access_token": .string(TrafficScript.access(1)), "expires_in": 300,
                "refresh_token": .string(TrafficScript.refresh(1)), "refresh_expires_in": 310,
            ]
            script.finish(login, 200, pair)
            script.wait(300)
            let failed = script.askRefresh(1)
            script.finish(failed, 503)
            script.wait(20)
            script.logIn(2)
        },
        HealthyAppCase("gave-up", "it has tried the same token for minutes") { script in
            script.logIn()
            script.wait(290)
            let first = script.askRefresh(1)
            script.finish(first, 503)
            script.wait(90)
            let second = script.askRefresh(1)
            script.finish(second, 503)
            script.wait(5)
            script.logOut(1)
        },
        HealthyAppCase("gave-up", "another process of it is logging out") { script in
            script.logIn()
            script.wait(290)
            let failed = script.askRefresh(1)
            script.finish(failed, 429)
            script.wait(2)
            script.peer = "127.0.0.2"
            _ = script.send(
                "POST",
                "/auth/logout",
                bearer: TrafficScript.access(1),
                json: ["refresh_token": .string(TrafficScript.refresh(1))]
            )
            script.wait(8)
            script.peer = "127.0.0.1"
            script.logIn(2)
        },
        HealthyAppCase("no-refresh", "the pair of another process is refused as well") { script in
            script.logIn()
            script.wait(100)
            script.peer = "127.0.0.2"
            script.logIn(2)
            script.wait(100)
            script.peer = "127.0.0.1"
            script.call(1, "/items", 401)
            script.wait(1)
            script.call(2, "/items", 401)
            script.wait(4)
            script.logIn(3)
        },
        HealthyAppCase("stale-token", "another connection asks while it stores a pair") { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(1)
            script.connection = 2
            script.call(1, "/items", 401)
        },
        HealthyAppCase("stale-token", "the old and the new token leave at one time") { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(1)
            script.connection = 2
            script.call(2, "/items", 200)
            script.connection = 3
            script.call(1, "/items", 401)
        },
        HealthyAppCase("socket-stale-dial", "it dials while it stores a pair") { script in
            script.logIn()
            script.wait(290)
            script.renew(1)
            script.wait(1)
            script.connection = 2
            let socket = script.dial("/feed", bearer: TrafficScript.access(1))
            script.finish(socket, 401)
        },
        HealthyAppCase("expiry-disagrees", "its request waited before it was answered") { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            let exp = Int64(TrafficScript.moment(307).wall.timeIntervalSince1970)
            let claims: JSONValue = ["sub": "7", "exp": .integer(exp)]
            script.wait(7)
            let pair: JSONValue = [
                "access_token": .string(TrafficScript.webToken(claims)), "expires_in": 300,
                "refresh_token": .string(TrafficScript.refresh(1)),
            ]
            script.finish(login, 200, pair)
        },
        HealthyAppCase("expiry-disagrees", "the cookie of its token outlives it") { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            let exp = Int64(TrafficScript.moment(300).wall.timeIntervalSince1970)
            let token = TrafficScript.webToken(["sub": "7", "exp": .integer(exp)])
            script.finish(
                login,
                204,
                headers: [
                    WireHeader(
                        "Set-Cookie",
                        "access=\(token); Max-Age=604800; HttpOnly; Secure; SameSite=Lax"
                    )
                ]
            )
        },
        HealthyAppCase("bad-header", "it renews by Bearer at a path of another name") { script in
            script.logIn()
            for number in 1...3 {
                script.wait(290)
                let renewal = script.send(
                    "POST",
                    "/api/token",
                    bearer: TrafficScript.refresh(number)
                )
                script.finish(renewal, 200, TrafficScript.pair(number + 1))
            }
        },
        HealthyAppCase("expired-sent", "its token ends in the year 9999") { script in
            let login = script.send("POST", "/login", json: ["password": "correct"])
            let pair: JSONValue = [
                "access_token": .string(TrafficScript.access(1)), "expires_at": 253_402_300_799,
            ]
            script.finish(login, 200, pair)
            script.wait(60)
            script.call(1)
        },
        HealthyAppCase("no-refresh", "it logs in after a logout that was not answered") { script in
            script.logIn()
            script.wait(290)
            let logout = script.send(
                "POST",
                "/auth/logout",
                bearer: TrafficScript.access(1),
                json: ["refresh_token": .string(TrafficScript.refresh(1))]
            )
            script.fail(logout, .unanswered(message: "reset"))
            script.wait(1)
            script.call(1, "/items", 401)
            script.wait(1)
            script.logIn(2)
        },
        HealthyAppCase("kept-nothing", "its new token is refused, too, and it logs in") { script in
            script.logIn()
            script.wait(100)
            script.call(1, "/items", 401)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
            script.call(2, "/items", 401)
            script.wait(4)
            script.logIn(7)
        },
        HealthyAppCase("no-refresh", "another process renews, which is refused") { script in
            script.logIn()
            script.call(1)
            script.wait(100)
            script.peer = "127.0.0.2"
            script.call(1)
            script.peer = "127.0.0.1"
            script.wait(100)
            script.call(1, "/items", 401)
            script.peer = "127.0.0.2"
            script.wait(0.5)
            script.refuseRefresh(1)
            script.peer = "127.0.0.1"
            script.wait(5)
            script.logIn(7)
        },
        HealthyAppCase("kept-nothing", "its user logs in after it has kept a token") { script in
            script.logIn()
            for number in 2...3 {
                script.wait(290)
                let renewal = script.askRefresh(1)
                script.finish(renewal, 200, TrafficScript.pair(number, refresh: false))
            }
            script.wait(301)
            script.logIn(7)
        },
        HealthyAppCase("kept-nothing", "a kept token was refused, and it logs in") { script in
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
            script.wait(290)
            script.refuseRefresh(1)
            script.wait(1)
            script.logIn(5)
            script.wait(290)
            let next = script.askRefresh(5)
            script.finish(next, 200, TrafficScript.pair(6, refresh: false))
            script.wait(301)
            script.logIn(7)
        },
    ]
}

@Suite("A healthy app")
struct HealthyAppTests {
    @Test("is not blamed", arguments: HealthyAppCase.all)
    func quiet(item: HealthyAppCase) {
        var script = TrafficScript()
        item.act(&script)
        let run = ObservationRun(script)
        #expect(!run.findings.contains { $0.rule == item.rule }, "\(run.summary)")
    }
}
