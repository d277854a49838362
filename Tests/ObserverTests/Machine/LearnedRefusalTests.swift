import Basics
import Profiles
import Testing

@testable import Model
@testable import Observer

/// Refusals that do not say of themselves that they are about the token.
@Suite("Answers that turn out to be refusals")
struct LearnedRefusalTests {
    /// Traffic whose failures have a shape.
    private struct Traffic {
        var script = TrafficScript()
        private var codes: [Int: String] = [:]

        init() { script.logIn(life: 1e6) }

        mutating func call(_ number: Int, _ status: Int, _ code: String) {
            let exchange = script.send("GET", "/items", bearer: TrafficScript.access(number))
            script.finish(exchange, status, ["error": .string(code)])
            script.wait(0.5)
            codes[exchange] = code
        }

        mutating func call(_ number: Int) {
            script.call(number)
            script.wait(0.5)
        }

        /// A request is answered so, the app renews, and the request succeeds.
        mutating func teach(_ number: Int, _ status: Int, _ code: String) {
            script.wait(100)
            call(number, status, code)
            script.renew(number, life: 1e6)
            script.wait(0.5)
            call(number + 1)
        }

        /// The requests with one token are answered so again and again.
        mutating func loop(_ number: Int, _ status: Int, _ code: String) {
            script.wait(100)
            for _ in 1...6 { call(number, status, code) }
        }

        /// The loops that are found.
        var loops: [ObservedFinding] {
            let run = ObservationRun(script)
            let inputs = run.inputs.map { input, moment in
                var input = input
                if case .answered(var facts) = input.kind {
                    facts.shape = codes[input.exchange].map { "\(facts.status) \($0)" }
                    input.kind = .answered(facts)
                }
                return (input: input, at: moment)
            }
            return ObservationRun(inputs, like: run).findings.filter {
                $0.rule == "loop-401" && $0.variant == nil
            }
        }
    }

    @Test(
        "one after which the app renewed and was accepted is a refusal from the second time on",
        arguments: [(403, "stale"), (400, "e_17"), (200, "nope")]
    )
    func learned(status: Int, code: String) throws {
        var traffic = Traffic()
        for number in 1...2 { traffic.teach(number, status, code) }
        traffic.loop(3, status, code)
        let loop = try #require(traffic.loops.first)
        #expect(loop.severity == .bug && loop.confidence == .likely)
    }

    /// Answers with success, none of which says that it fails.
    private static func answer(
        _ script: inout TrafficScript,
        _ number: Int,
        with json: JSONValue?
    ) -> Int {
        let call = script.send("GET", "/items", bearer: TrafficScript.access(number))
        let page = json == nil ? [WireHeader("Content-Type", "text/html")] : []
        script.wait(TrafficScript.roundTrip)
        script.answer(call, 200, json, headers: page, body: Array("<html></html>".utf8))
        script.deliver(call)
        script.wait(0.5)
        return call
    }

    @Test(
        "one with success and another code, or a page, is a refusal from the second time on",
        arguments: [["result": ["code": "E1007"]], ["retCode": 10_012], nil] as [JSONValue?]
    )
    func success(refusal: JSONValue?) throws {
        let success: JSONValue = ["result": ["code": "OK"], "retCode": 0, "items": []]
        var script = TrafficScript()
        script.logIn(life: 1e6)
        _ = Self.answer(&script, 1, with: success)
        for number in 1...2 {
            script.wait(100)
            _ = Self.answer(&script, number, with: refusal)
            script.renew(number, life: 1e6)
            _ = Self.answer(&script, number + 1, with: success)
        }
        #expect(ObservationRun(script).findings.isEmpty)
        script.wait(100)
        let loop = (1...6).map { _ in Self.answer(&script, 3, with: refusal) }
        let run = ObservationRun(script)
        let found = try #require(run.findings.first, "\(run.summary)")
        #expect(found.rule == "loop-401" && found.confidence == .likely)
        #expect(found.exchanges == loop)
    }

    /// A request with the cookie of a session, which states no end.
    private static func visit(
        _ script: inout TrafficScript,
        _ number: Int,
        _ status: Int = 200
    ) -> Int {
        let cookie = WireHeader("Cookie", "SID=session-\(number)-of-the-user-ada")
        let visit = script.send("GET", "/items", headers: [cookie])
        script.finish(visit, status, status == 200 ? ["items": []] : nil)
        script.wait(2)
        return visit
    }

    private static func signIn(_ script: inout TrafficScript, _ number: Int) {
        let login = script.send("POST", "/login", form: "username=ada&password=correct")
        let cookie = "SID=session-\(number)-of-the-user-ada; HttpOnly; Secure; SameSite=Lax"
        script.finish(login, 200, headers: [WireHeader("Set-Cookie", cookie)])
    }

    @Test("one without a word is a refusal once two logins have followed it")
    func loggedInAgain() {
        var script = TrafficScript()
        for number in 1...3 {
            Self.signIn(&script, number)
            _ = Self.visit(&script, number)
            script.wait(3_600)
            if number < 3 { _ = Self.visit(&script, number, 403) }
        }
        let loop = (1...8).map { _ in Self.visit(&script, 3, 403) }
        let run = ObservationRun(script)
        let found = run.findings.map { "\($0.rule) \($0.confidence)" }
        #expect(found == ["loop-401 likely"], "\(run.summary)")
        #expect(run.findings.first.map { Set($0.exchanges).isSubset(of: loop) } ?? false)
    }

    @Test("one after which a user signs in who may do more is none")
    func loggedInAsAnother() {
        var script = TrafficScript()
        for number in [1, 3, 5] {
            Self.signIn(&script, number)
            _ = Self.visit(&script, number, 403)
            Self.signIn(&script, number + 1)
            _ = Self.visit(&script, number + 1)
            script.wait(3_600)
        }
        Self.signIn(&script, 7)
        for _ in 1...8 { _ = Self.visit(&script, 7, 403) }
        let run = ObservationRun(script)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test("a code that comes and goes with one token is no refusal")
    func changingCode() {
        var script = TrafficScript()
        script.logIn(life: 100)
        for number in 1...4 {
            for code in ["PENDING", "DONE", "PENDING"] {
                script.wait(30)
                _ = Self.answer(&script, number, with: ["code": .string(code)])
            }
            script.renew(number, life: 100)
            _ = Self.answer(&script, number + 1, with: ["code": "DONE"])
        }
        script.wait(30)
        for _ in 1...6 { _ = Self.answer(&script, 5, with: ["code": "PENDING"]) }
        let run = ObservationRun(script)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test("one that names the token is a refusal after the first time")
    func namesToken() {
        var traffic = Traffic()
        traffic.teach(1, 403, "bad_token")
        traffic.loop(2, 403, "bad_token")
        #expect(traffic.loops.count == 1)
    }

    @Test("one that was seen once before a renewal may be about anything")
    func once() {
        var traffic = Traffic()
        traffic.teach(1, 403, "busy")
        traffic.loop(2, 403, "busy")
        #expect(traffic.loops.isEmpty)
    }

    @Test("one that the same token lives through is none", arguments: [true, false])
    func livedThrough(isBefore: Bool) {
        var traffic = Traffic()
        func live(_ number: Int) {
            traffic.call(number, 403, "busy")
            traffic.call(number)
        }
        if isBefore { live(1) }
        for number in 1...2 { traffic.teach(number, 403, "busy") }
        if !isBefore { live(3) }
        traffic.loop(3, 403, "busy")
        #expect(traffic.loops.isEmpty)
    }

    @Test(
        "what is about the thing that was asked for, or about rights, is never learned",
        arguments: [
            (404, "missing_token"), (422, "bad_session"), (403, "insufficient_scope"),
            (429, "token"),
            (503, "session"),
        ]
    )
    func neverLearned(status: Int, code: String) {
        var traffic = Traffic()
        for number in 1...3 { traffic.teach(number, status, code) }
        traffic.loop(4, status, code)
        #expect(traffic.loops.isEmpty)
    }
}

/// Access tokens that had ended, and answers with which a backend may refuse them.
@Suite("Answers to tokens that have ended")
struct EndedTokenTests {
    private static func call(
        _ status: Int,
        every pace: Double = 1,
        _ count: Int = 6,
        of path: String = "/items",
        in script: inout TrafficScript
    ) {
        for _ in 1...count {
            let exchange = script.send("GET", path, bearer: TrafficScript.access(1))
            let location = WireHeader("Location", "https://example.com/welcome")
            script.finish(exchange, status, headers: status / 100 == 3 ? [location] : [])
            script.wait(pace)
        }
    }

    private static func rules(_ script: TrafficScript) -> Set<String> {
        Set(ObservationRun(script).findings.map(\.rule))
    }

    @Test(
        "are refusals where the endpoint had accepted a token before",
        arguments: [400, 402, 403, 418, 419, 302, 303, 307]
    )
    func refused(status: Int) throws {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(310)
        Self.call(status, in: &script)
        let run = ObservationRun(script)
        #expect(Set(run.findings.map(\.rule)) == ["expired-sent", "loop-401"], "\(run.summary)")
        #expect(run.findings.allSatisfy { $0.confidence == .likely })
    }

    @Test("are found at any pace")
    func slowly() {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(310)
        Self.call(403, every: 60, in: &script)
        #expect(Self.rules(script) == ["expired-sent", "no-refresh"])
    }

    @Test("are refusals of the token that the app sends, whatever a cookie beside it states")
    func cookieBeside() {
        var script = TrafficScript()
        let now = 1_763_733_600.0
        func token(_ life: Double) -> String {
            TrafficScript.webToken(["sub": "ada", "iat": .number(now), "exp": .number(now + life)])
        }
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        let cookie = "jid=\(token(864_000)); HttpOnly; Secure; SameSite=Lax; Path=/"
        script.finish(
            login,
            200,
            ["token": .string(token(600))],
            headers: [WireHeader("Set-Cookie", cookie)]
        )
        func call(_ status: Int) {
            let headers = [WireHeader("Cookie", "jid=\(token(864_000))")]
            let exchange = script.send("GET", "/items", bearer: token(600), headers: headers)
            script.finish(exchange, status)
        }
        call(200)
        script.wait(700)
        call(403)
        #expect(Self.rules(script) == ["expired-sent"])
    }

    @Test("are refusals with success and another code, which may come a moment before the end")
    func otherCode() throws {
        var script = TrafficScript()
        script.logIn()
        for code in ["OK", "OK"] + Array(repeating: "E1007", count: 9) {
            let exchange = script.send("GET", "/items", bearer: TrafficScript.access(1))
            script.finish(exchange, 200, ["result": ["code": .string(code)]])
            script.wait(code == "OK" ? 150 : 1)
        }
        let run = ObservationRun(script)
        #expect(Set(run.findings.map(\.rule)) == ["expired-sent", "loop-401"], "\(run.summary)")
        #expect(run.findings.allSatisfy { $0.confidence == .likely })
        let profile = try #require(LearnedProfile(of: run.machine.traffic))
        #expect(!profile.text.contains("expired ="))
    }

    @Test("say nothing of a token that has not ended", arguments: [400, 403, 302])
    func notEnded(status: Int) {
        var script = TrafficScript()
        script.logIn(life: 1e6)
        script.call(1)
        script.wait(310)
        Self.call(status, in: &script)
        #expect(Self.rules(script) == [])
    }

    @Test("say nothing where the backend accepts tokens that have ended")
    func lenient() {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(310)
        Self.call(200, 1, of: "/other", in: &script)
        Self.call(403, in: &script)
        #expect(Self.rules(script) == ["expired-sent"])
    }

    @Test("are about something else in another request", arguments: [400, 302])
    func otherRequest(status: Int) {
        var script = TrafficScript()
        script.logIn()
        script.call(1)
        script.wait(310)
        Self.call(status, of: "/others", in: &script)
        #expect(!Self.rules(script).contains("loop-401"))
    }
}
