import Basics
import Profiles
import Testing

@testable import Model
@testable import Observer

@Suite("Families of tokens")
struct FamilyTests {
    private static func families(_ script: TrafficScript) -> [TokenFamily] {
        ObservationRun(script).machine.traffic.graph.families.values.sorted { $0.id < $1.id }
    }

    @Test("a login starts one, each refresh brings its next generation, a logout ends it")
    func life() throws {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(290)
        script.renew(1)
        script.call(2)
        script.wait(290)
        script.renew(2)
        let logout = script.logOut(3)
        let run = ObservationRun(script)
        let family = try #require(run.machine.traffic.graph.families[1])
        #expect(run.machine.traffic.graph.families.count == 1)
        #expect(family.generations.map(\.number) == [1, 2, 3])
        #expect(family.generations.map(\.pair.rotated) == [false, true, true])
        #expect(family.end == .logout && family.endedIn == logout)
        #expect(run.findings.isEmpty, "\(run.summary)")
        let kinds = run.kinds(of: "1")
        #expect(kinds.first == "capabilities")
        #expect(kinds.filter { $0 == "tokensIssued" }.count == 3)
        #expect(kinds.filter { $0 == "refreshSucceeded" }.count == 2)
        #expect(kinds.filter { $0 == "request" }.count == 6)
        #expect(kinds.suffix(3) == ["standing", "stateChanged", "signedOut"])
        let book = SessionBook(folding: run.events)
        let snapshot = book[SessionID("1")]
        #expect(snapshot.generations.count == 3)
        #expect(snapshot.flights.count == 2)
        #expect(snapshot.observed.status == .ended(.logout))
        #expect(snapshot.observed.links.map(\.kind) == [.login, .refresh, .refresh])
        #expect(snapshot.observed.clients.count == 1)
    }

    @Test("the cause of a refresh is what the traffic shows of it")
    func causes() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(239)
        script.renew(1)
        script.wait(310)
        let refused = script.call(2, "/items", 401)
        script.wait(0.1)
        script.renew(2)
        script.wait(290)
        let failed = script.askRefresh(3)
        script.finish(failed, 503)
        script.wait(2)
        script.renew(3)
        let run = ObservationRun(script)
        let links = SessionBook(folding: run.events)[SessionID("1")].observed.links
        try #require(links.count == 4)
        guard case .beforeEnd(let seconds) = links[1].cause else {
            Issue.record("\(links[1].cause)")
            return
        }
        #expect((60.0...62.0).contains(seconds))
        #expect(links[2].cause == .refused(exchange: refused))
        #expect(links[3].cause == .retry(of: failed))
    }

    @Test("a refused request is repeated until it succeeds, and what follows is none of it")
    func repetition() {
        var script = TrafficScript()
        script.logIn()
        script.wait(310)
        let refused = script.call(1, "/items", 401)
        script.renew(1)
        let numbers = (1...3).map { _ in
            script.wait(1)
            return script.call(2, "/items", 200)
        }
        let exchanges = ObservationRun(script).events.compactMap { $0.kind as? Exchange }
        let repeated = exchanges.filter { $0.retryOf == refused }.map(\.id)
        #expect(repeated == [numbers[0]])
    }

    @Test("a request with the token that was refused may be another caller's, and repeats nothing")
    func sameToken() {
        var script = TrafficScript()
        script.logIn()
        script.wait(310)
        let refused = script.call(1, "/items", 401)
        script.wait(1)
        _ = script.call(1, "/items", 401)
        let exchanges = ObservationRun(script).events.compactMap { $0.kind as? Exchange }
        #expect(exchanges.contains { $0.id == refused && $0.acceptance == .refused })
        #expect(exchanges.allSatisfy { $0.retryOf == nil })
    }

    @Test("a renewal that brings nothing leaves the session where it was")
    func failedRenewal() {
        var script = TrafficScript()
        script.logIn()
        script.wait(200)
        let failed = script.askRefresh(1)
        script.finish(failed, 503)
        let run = ObservationRun(script)
        let statuses = run.events.compactMap { event -> ObservedStatus.Code? in
            guard let status = event.kind as? ObservedStatus else { return nil }
            return status.code
        }
        #expect(statuses.prefix(3) == [.live, .renewing, .live])
    }

    @Test("a renewal whose answer cannot be read says so")
    func unreadRenewal() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        let renewal = script.askRefresh(1)
        script.answer(renewal, 200, headers: [WireHeader("Content-Encoding", "br")], unread: 300)
        let failures = ObservationRun(script).events.compactMap { event -> RefreshFailure? in
            guard let failure = (event.kind as? RefreshFailed)?.failure else { return nil }
            return failure
        }
        let cause = RefreshFailure.Cause.unusableAnswer(
            status: 200,
            detail: "Content-Encoding: br"
        )
        #expect(failures.map(\.cause) == [cause])
    }

    @Test("a refused renewal is told in the server's words, whether or not they are a code")
    func refusedRenewal() {
        let words = "Refresh token is not in the store"
        let answers: [(JSONValue, RefreshFailure.Cause)] = [
            (
                ["error": "invalid_grant", "message": "no such token"],
                .refreshTokenRefused(status: 401, detail: "invalid_grant")
            ), (["message": .string(words)], .notUnderstood(status: 401, detail: words)),
        ]
        for (answer, cause) in answers {
            var script = TrafficScript()
            script.logIn()
            script.wait(290)
            let renewal = script.askRefresh(1)
            script.finish(renewal, 401, answer)
            let causes = ObservationRun(script).events.compactMap { event in
                (event.kind as? RefreshFailed)?.failure.cause
            }
            #expect(causes == [cause])
        }
    }

    @Test("a session that was in use is joined, and its first refresh belongs to it")
    func joined() throws {
        var script = TrafficScript()
        script.call(1)
        script.wait(10)
        script.renew(1)
        script.call(2)
        let families = Self.families(script)
        #expect(families.count == 1)
        #expect(families[0].isJoined)
        #expect(families[0].generations.map(\.number) == [1, 2])
    }

    @Test("two accepted uses of one refresh token fork it into two of one generation")
    func fork() throws {
        var script = TrafficScript()
        script.logIn()
        let first = script.askRefresh(1)
        let second = script.askRefresh(1)
        script.finish(first, 200, TrafficScript.pair(2))
        script.finish(second, 200, TrafficScript.pair(3))
        script.wait(5)
        script.call(2)
        script.call(3)
        let run = ObservationRun(script)
        let family = try #require(run.machine.traffic.graph.families[1])
        #expect(family.generations.map(\.number) == [1, 2, 2])
        #expect(family.generations.map(\.branchName) == [nil, nil, "b"])
        #expect(run.findings.map(\.rule) == ["race"], "\(run.summary)")
    }

    @Test("the same pair again, as within a window of grace, is no other generation")
    func grace() throws {
        var script = TrafficScript()
        script.logIn()
        let lost = script.askRefresh(1)
        script.wait(1)
        script.answer(lost, 200, TrafficScript.pair(2))
        script.deliver(lost, whole: false)
        script.wait(1)
        script.renew(1)
        script.call(2)
        let families = Self.families(script)
        #expect(families.map { $0.generations.map(\.number) } == [[1, 2]])
        #expect(families[0].newestGeneration?.deliveries.count == 1)
    }

    @Test("a cookie that changes is a refresh; one that changes with every answer is none")
    func cookies() throws {
        func visit(_ script: inout TrafficScript, _ value: Int, sets next: Int?) {
            let exchange = script.send(
                "GET",
                "/page",
                headers: [WireHeader("Cookie", "session_id=cookie-of-the-app-\(value)")]
            )
            let set = next.map {
                WireHeader(
                    "Set-Cookie",
                    "session_id=cookie-of-the-app-\($0); HttpOnly; Secure; SameSite=Lax"
                )
            }
            script.finish(exchange, 200, headers: [set].compactMap(\.self))
        }
        var sliding = TrafficScript()
        for _ in 1...4 { visit(&sliding, 1, sets: nil) }
        visit(&sliding, 1, sets: 2)
        visit(&sliding, 2, sets: nil)
        #expect(Self.families(sliding).map { $0.generations.map(\.number) } == [[1, 2]])
        var rolling = TrafficScript()
        for number in 1...6 { visit(&rolling, number, sets: number + 1) }
        let families = Self.families(rolling)
        #expect(families.count == 1)
        #expect(families[0].isRolling)
        #expect(families[0].generations.count == 1)
        #expect(ObservationRun(rolling).findings.isEmpty)
    }

    @Test("the first answer after a login that replaces the cookie renews nothing, as with Rails")
    func encryptedCookie() {
        func cookie(_ value: Int) -> WireHeader {
            WireHeader("Set-Cookie", "_app_session=cookie-of-the-app-\(value); HttpOnly; Secure")
        }
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["email": "a@b.c", "password": "correct"])
        script.finish(login, 200, headers: [cookie(1)])
        let page = script.send(
            "GET",
            "/",
            headers: [WireHeader("Cookie", "_app_session=cookie-of-the-app-1")]
        )
        script.finish(page, 200, headers: [cookie(2)])
        let run = ObservationRun(script)
        #expect(run.machine.traffic.graph.families[1]?.generations.count == 1)
        let purposes = run.events.compactMap { ($0.kind as? Exchange)?.purpose }
        #expect(purposes == [.login, .protected], "\(run.summary)")
    }

    @Test("a ticket that an answer brought belongs to the session, and starts none")
    func tickets() throws {
        var script = TrafficScript()
        script.logIn()
        let exchange = script.send("POST", "/ws/ticket", bearer: TrafficScript.access(1))
        script.finish(exchange, 200, ["handle": "one-time-ticket-0123456789"])
        let socket = script.dial("/ws?ticket=one-time-ticket-0123456789")
        script.open(socket)
        #expect(Self.families(script).count == 1)
    }

    @Test("a login that presents the old session takes its place")
    func replaced() throws {
        var script = TrafficScript()
        script.logIn()
        let again = script.send(
            "POST",
            "/login",
            bearer: TrafficScript.access(1),
            json: ["username": "ada", "password": "correct"]
        )
        script.finish(again, 200, TrafficScript.pair(7))
        let families = Self.families(script)
        #expect(families.map(\.end) == [.replaced, nil])
    }

    @Test("what an experiment leads to is marked with it")
    func experiments() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(100)
        let refused = script.send("GET", "/items", bearer: TrafficScript.access(1))
        script.inject(refused, "expire")
        script.finish(refused, 401)
        let renewal = script.renew(1)
        script.wait(1)
        let again = script.call(1, "/items", 401)
        let run = ObservationRun(script)
        #expect(run.findings.map(\.rule) == ["stale-token"], "\(run.summary)")
        #expect(run.findings.first?.exchanges == [refused, renewal, again])
        #expect(run.findings.first?.experiment == "expire")
        #expect(run.findings.first?.isCertainBug == false)
        let records = run.events.compactMap { event in
            event.kind as? Exchange
        }
        #expect(records.filter { $0.experiment != nil }.map(\.id) == [refused])
    }

    @Test(
        "the refusal of the slower of two refreshes at once ends nothing if the other one wins",
        arguments: [true, false]
    )
    func raced(wins: Bool) {
        var script = TrafficScript()
        script.logIn()
        let first = script.askRefresh(1)
        let second = script.askRefresh(1)
        script.finish(second, 400, ["error": "invalid_grant"])
        if wins {
            script.finish(first, 200, TrafficScript.pair(2))
            script.call(2)
        } else {
            script.finish(first, 400, ["error": "invalid_grant"])
        }
        let family = ObservationRun(script).machine.traffic.graph.families[1]
        #expect(family?.end == (wins ? nil : .refreshRefused))
    }

    @Test("a newer refresh token that is refused after a replaced one was used ends by reuse")
    func reuse() throws {
        var script = TrafficScript()
        script.logIn()
        script.wait(290)
        script.renew(1)
        script.wait(280)
        script.refuseRefresh(1)
        let last = script.refuseRefresh(2)
        let run = ObservationRun(script)
        let family = try #require(run.machine.traffic.graph.families[1])
        #expect(family.end == .reuseDetected && family.endedIn == last)
        #expect(run.findings.map(\.rule) == ["spent-refresh"], "\(run.summary)")
    }

    @Test("old families make room for new ones, those that have ended first")
    func bounded() {
        var script = TrafficScript()
        script.logIn(1)
        for number in 2...2_400 {
            script.logIn(number)
            script.logOut(number)
            script.wait(60)
        }
        let run = ObservationRun(script, rules: [])
        let families = run.machine.traffic.graph.families
        #expect(families.count <= TokenGraph.familyLimit)
        #expect(families[1] != nil && families[1]?.end == nil)
        #expect(families[2_399] != nil)
        let forgotten = Self.forgotten(run)
        #expect(forgotten.count == 2_400 - families.count)
        #expect(forgotten.values.filter { !$0.hasEnded }.isEmpty)
    }

    @Test("a live session that makes room says so, and its next request belongs to another one")
    func forgottenAlive() throws {
        var script = TrafficScript()
        for number in 1...TokenGraph.familyLimit { script.logIn(number) }
        script.call(1)
        script.logIn(5_000)
        script.call(2)
        let run = ObservationRun(script, rules: [])
        let families = run.machine.traffic.graph.families
        let forgotten = Self.forgotten(run)
        // The one that was used since stays.
        #expect(families[1] != nil && forgotten[SessionID("1")] == nil)
        #expect(families[2] == nil && forgotten[SessionID("2")]?.hasEnded == false)
        #expect(families.values.contains { $0.isJoined })
        let late = run.events.last { $0.session == SessionID("2") }
        let last = try #require(forgotten[SessionID("2")])
        #expect(late?.kind as? ForgottenSession == last)
        var book = SessionBook()
        for event in run.events { book.apply(event) }
        let known = Set(families.values.map(\.session)).union([ObservationMachine.withoutToken])
        #expect(Set(book.ids).isSubset(of: known))
    }

    @Test("a session that is idle while another one renews is known by its pair")
    func idle() throws {
        var script = TrafficScript()
        script.logIn(1)
        script.logIn(10)
        for number in 10..<6_000 { script.renew(number) }
        script.call(1)
        let run = ObservationRun(script, rules: [])
        #expect(run.machine.traffic.graph.families.count == 2)
    }

    @Test("a login that brings the access token that it presents adds the refresh token")
    func samePairAgain() {
        var script = TrafficScript()
        script.call(1)
        script.ask(
            "POST",
            "/login",
            bearer: TrafficScript.access(1),
            json: ["username": "ada", "password": "correct"],
            200,
            TrafficScript.pair(1)
        )
        let traffic = ObservationRun(script).machine.traffic
        #expect(traffic.graph.families.count == 1)
        #expect(traffic.graph.refreshCount == 1)
        #expect(traffic.graph.families[1]?.liveRefreshToken != nil)
    }

    private static func forgotten(_ run: ObservationRun) -> [SessionID: ForgottenSession] {
        var found: [SessionID: ForgottenSession] = [:]
        for event in run.events {
            if let session = event.kind as? ForgottenSession {
                found[event.session] = session
            }
        }
        return found
    }

    @Test("traffic without a token is in a session of its own")
    func withoutToken() {
        var script = TrafficScript()
        let exchange = script.send("GET", "/health")
        script.finish(exchange, 200)
        let run = ObservationRun(script)
        #expect(Set(run.events.map(\.session)) == [ObservationMachine.withoutToken])
        #expect(run.machine.traffic.graph.families.isEmpty)
    }
}
