import Basics
import Model
import Observer
import Profiles
import Testing

/// The behavior of a client that makes no mistake, where the traffic looks as if it made one.
@Suite("Sound clients that look like faulty ones")
struct SoundClientTests {
    private static func mistakes(_ script: TrafficScript) -> [String] {
        ObservationRun(script).findings.filter { $0.severity == .bug }.map { finding in
            "\(finding.rule) \(finding.confidence) \(finding.exchanges): \(finding.message)"
        }
    }

    /// A refusal in which nothing is said of the refresh token.
    private static func refuseBarely(_ number: Int, in script: inout TrafficScript) {
        let exchange = script.askRefresh(number)
        script.finish(exchange, 401)
    }

    @Test("a refusal without a reason is not for good where the token was accepted in between")
    func refusedAndAccepted() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        Self.refuseBarely(1, in: &script)
        script.wait(6)
        let renewal = script.askRefresh(1)
        script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
        script.wait(280)
        Self.refuseBarely(1, in: &script)
        for wait in [6.0, 1, 6] {
            script.wait(wait)
            let failed = script.askRefresh(1)
            script.finish(failed, 429)
        }
        #expect(Self.mistakes(script) == [])
    }

    @Test("two refusals without a reason at once, or of two processes, are not for good")
    func refusedAtOnce() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        for process in 1...5 {
            script.peer = "127.0.0.\(process)"
            Self.refuseBarely(1, in: &script)
            script.wait(6)
        }
        #expect(Self.mistakes(script) == [])
    }

    @Test(
        "renewals for refusals are certain to be a loop only if no other client is accepted",
        arguments: [false, true]
    )
    func loopOfOne(isAcceptedElsewhere: Bool) throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(100)
        for generation in 1...4 {
            script.call(generation, "/reports", 401)
            if isAcceptedElsewhere {
                let peer = script.peer
                script.peer = "127.0.0.2"
                script.call(generation, "/reports")
                script.peer = peer
            }
            if generation < 4 { script.renew(generation) }
            script.wait(1)
        }
        let run = ObservationRun(script)
        let loop = try #require(run.findings.first { $0.rule == "loop-401" }, "\(run.summary)")
        #expect(loop.confidence == (isAcceptedElsewhere ? .likely : .certain))
    }

    @Test("what is sent after refusals without a reason is likely a loop, and no more")
    func likelyLoop() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        for _ in 1...5 {
            Self.refuseBarely(1, in: &script)
            script.wait(6)
        }
        let run = ObservationRun(script)
        let finding = try #require(run.findings.first, "\(run.summary)")
        #expect(run.findings.count == 1, "\(run.summary)")
        #expect(finding.rule == "dead-refresh-loop")
        #expect(finding.confidence == .likely)
        #expect(finding.exchanges == [3, 4, 5, 6])
    }

    @Test("one of two tabs that renews right after the other one is likely a race, and no more")
    func tabs() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        func refresh(_ status: Int, _ json: JSONValue) {
            let exchange = script.send(
                "POST",
                "/auth/refresh",
                headers: [WireHeader("Origin", "https://app.example.com")],
                json: ["refresh_token": .string(TrafficScript.refresh(1))]
            )
            script.finish(exchange, status, json)
        }
        refresh(200, TrafficScript.pair(2))
        script.wait(0.02)
        refresh(400, ["error": "invalid_grant"])
        let finding = try #require(ObservationRun(script).findings.first)
        #expect(finding.rule == "race" && finding.confidence == .likely)
    }

    @Test("requests go on while a renewal is in progress, or failed and waits for its next attempt")
    func renewing() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let renewal = script.askRefresh(1)
        func callAgain() {
            for _ in 1...6 {
                script.call(1, "/items", 401)
                script.wait(1)
            }
        }
        callAgain()
        script.fail(renewal, .unanswered(message: "reset"))
        callAgain()
        let next = script.askRefresh(1)
        script.finish(next, 503)
        callAgain()
        script.renew(1)
        #expect(Self.mistakes(script) == [])
    }

    @Test("a refresh with a token that was replaced is no attempt to renew")
    func replacedToken() {
        var script = TrafficScript()
        script.logIn()
        script.renew(1)
        script.wait(1)
        let spent = script.askRefresh(1)
        script.finish(spent, 401)
        for _ in 1...6 {
            script.call(2, "/items", 401)
            script.wait(0.4)
        }
        let rules = Set(ObservationRun(script).findings.map(\.rule))
        #expect(rules == ["spent-refresh", "loop-401"])
    }

    @Test("a process learns of a refusal by its own answers")
    func processes() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        for process in 1...6 {
            script.peer = "127.0.0.\(process)"
            script.call(1, "/items", 401)
            script.wait(0.5)
        }
        script.renew(1)
        #expect(Self.mistakes(script) == [])
    }

    @Test(
        "one of the processes that share a session may wait until another has renewed it",
        arguments: [(1.0, "loop-401"), (12, "no-refresh")]
    )
    func waitingForAnotherProcess(pace: Double, rule: String) throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        script.peer = "127.0.0.2"
        for _ in 1...5 {
            script.call(1, "/items", 401)
            script.wait(pace)
        }
        #expect(Self.mistakes(script) == [])
        let found = ObservationRun(script).findings.first { $0.rule == rule }
        #expect(try #require(found).severity == .risk)
    }

    @Test("a token that is renewed near its end is not renewed because one was refused")
    func refusedAndDue() {
        var script = TrafficScript()
        script.logIn(life: 40)
        for generation in 1...6 {
            script.wait(5)
            script.call(generation, "/items", 401)
            script.wait(25)
            script.renew(generation, life: 40)
        }
        #expect(Self.mistakes(script) == [])
    }

    @Test("each process that shares a session may renew it once because a token was refused")
    func refusedToEach() {
        var script = TrafficScript()
        script.logIn()
        script.wait(10)
        for generation in 1...6 {
            script.peer = "127.0.0.1"
            script.call(generation, "/items", 401)
            script.peer = "127.0.0.\(generation + 1)"
            script.call(generation, "/items", 401)
            script.wait(1)
            script.renew(generation)
        }
        #expect(Self.mistakes(script) == [])
    }

    @Test("a client whose new token is refused, too, does not renew again, and its user goes on")
    func refusedAgain() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        script.call(1, "/items", 401)
        script.renew(1)
        for _ in 1...40 {
            script.wait(1)
            script.call(2, "/items", 401)
        }
        #expect(Self.mistakes(script) == [])
        let found = ObservationRun(script).findings.first { $0.rule == "loop-401" }
        #expect(try #require(found).severity == .risk)
    }

    @Test("a suspended client sends an old token when it goes on, before it has stored the new one")
    func suspended() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let renewal = script.renew(1)
        script.connection = 2
        script.wait(20)
        let first = script.call(1, "/items", 401)
        #expect(Self.mistakes(script) == [])
        // Once it is awake, it has the time to store what it was sent.
        script.wait(3)
        let second = script.call(1, "/items", 401)
        let finding = ObservationRun(script).findings.first { $0.rule == "stale-token" }
        #expect(try #require(finding).exchanges == [first, renewal, second])
    }

    @Test(
        "a client knows from elsewhere when its refresh token ends, and gives up after its last try"
    )
    func endOfRefreshToken() throws {
        var script = TrafficScript()
        script.logIn(life: 86_400)
        script.wait(7_200)
        let last = script.askRefresh(1)
        script.finish(last, 503)
        script.wait(7_200)
        let refused = script.call(1, "/items", 401)
        script.wait(2)
        script.logIn(5)
        #expect(Self.mistakes(script) == [])
        let finding = ObservationRun(script).findings.first { $0.rule == "no-refresh" }
        #expect(try #require(finding).severity == .risk)
        #expect(try #require(finding).exchanges.first == refused)
    }

    @Test("a refresh token that has ended renews nothing")
    func endedRefreshToken() {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        script.finish(
            login,
            200,
            [
                "access_token": .string(TrafficScript.access(1)), "expires_in": 86_400,
                "refresh_token": .string(TrafficScript.refresh(1)), "refresh_expires_in": 3_600,
            ]
        )
        script.wait(7_200)
        script.call(1, "/items", 401)
        script.wait(2)
        script.logIn(5)
        #expect(Self.mistakes(script) == [])
    }

    @Test("a client that waits for its next attempt to renew says nothing to a refusal")
    func waiting() {
        var script = TrafficScript()
        script.logIn()
        script.wait(200)
        let failed = script.askRefresh(1)
        script.finish(failed, 503)
        script.wait(1)
        script.call(1, "/items", 401)
        for _ in 1...4 {
            script.wait(4)
            let next = script.send("GET", "/public")
            script.finish(next, 200)
        }
        script.renew(1)
        #expect(Self.mistakes(script) == [])
    }

    @Test("a login in the middle of a short life says nothing of the refresh token")
    func shortLife() {
        var script = TrafficScript()
        script.logIn(life: 2)
        script.wait(1)
        let renewal = script.askRefresh(1)
        script.finish(renewal, 200, TrafficScript.pair(2, life: 2, refresh: false))
        script.wait(0.5)
        script.logIn(7, life: 2)
        #expect(Self.mistakes(script) == [])
    }

    @Test("of processes that share a session, one may log in for another session of theirs")
    func sharedSession() {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let renewal = script.askRefresh(1)
        script.finish(renewal, 200, TrafficScript.pair(2, refresh: false))
        script.peer = "127.0.0.2"
        script.call(2)
        script.peer = "127.0.0.1"
        script.wait(400)
        script.logIn(7)
        #expect(Self.mistakes(script) == [])
    }
}
