import Basics
import Model
import Observer
import Profiles
import Testing

@Suite("The rule about storms of logins")
struct LoginStormTests {
    private static func messages(_ run: ObservationRun) -> [String] {
        run.findings.filter { $0.rule == "login-storm" }.map(\.message)
    }

    @Test("counts all logins of a minute")
    func count() {
        var script = TrafficScript()
        for number in 1...40 { script.logInQuickly(number) }
        #expect(
            Self.messages(ObservationRun(script)) == ["40 logins of one client within a minute"]
        )
        script.wait(100)
        for number in 41...43 { script.logInQuickly(number) }
        let run = ObservationRun(script)
        #expect(run.findings.first { $0.rule == "login-storm" }?.count ?? 0 > 1)
    }

    @Test("counts no visit of a page that brings the cookie of a session, with a code in its URL")
    func visits() {
        var script = TrafficScript()
        for number in 1...5 {
            let visit = script.send("GET", "/ads.js?code=5689669&bid=\(number)")
            let cookie = "JSESSIONID=62F5F561F442E0FE54C56753D3B35E1\(number); Path=/; HttpOnly"
            script.finish(visit, 200, headers: [WireHeader("Set-Cookie", cookie)])
        }
        #expect(Self.messages(ObservationRun(script)) == [])
    }

    @Test("counts none that follows a refused refresh")
    func refused() {
        var script = TrafficScript()
        for number in 1...5 {
            script.logIn(2 * number)
            script.wait(5)
            script.renew(2 * number)
            script.wait(1)
            let again = script.askRefresh(2 * number)
            script.finish(again, 400, ["error": "session_ended"])
        }
        #expect(Self.messages(ObservationRun(script)) == [])
    }

    @Test("counts the logins of a client that signs another assertion each time")
    func assertions() {
        func logIn(_ number: Int, scope: String, in script: inout TrafficScript) {
            let assertion = TrafficScript.webToken(["sub": "svc", "jti": .integer(Int64(number))])
            let login = script.send(
                "POST",
                "/token",
                form: "grant_type=client_credentials&scope=\(scope)&client_assertion=\(assertion)"
                    + "&client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            )
            script.finish(login, 200, TrafficScript.pair(number, refresh: false))
        }
        var script = TrafficScript()
        for number in 1...3 {
            logIn(number, scope: "mail", in: &script)
            script.call(number)
        }
        #expect(Self.messages(ObservationRun(script)) == ["3 logins of one client within a minute"])
        // A token for each of several things.
        var several = TrafficScript()
        for number in 1...5 { logIn(number, scope: "scope-\(number)", in: &several) }
        #expect(Self.messages(ObservationRun(several)) == [])
    }

    @Test("counts none that asks for another audience than the one before")
    func audiences() {
        func exchange(_ number: Int, for audience: String, in script: inout TrafficScript) {
            let login = script.send(
                "POST",
                "/token",
                form: "grant_type=urn:ietf:params:oauth:grant-type:token-exchange"
                    + "&client_secret=correct-horse&subject_token=the-token-of-a-user"
                    + "&audience=\(audience)"
            )
            let claims: JSONValue = ["sub": "7", "jti": .integer(Int64(number))]
            script.finish(login, 200, TrafficScript.pair(number, refresh: false, claims: claims))
        }
        var script = TrafficScript()
        for number in 1...5 { exchange(number, for: "service-\(number)", in: &script) }
        #expect(Self.messages(ObservationRun(script)) == [])
        var same = TrafficScript()
        for number in 1...3 { exchange(number, for: "service", in: &same) }
        #expect(Self.messages(ObservationRun(same)) == ["3 logins of one client within a minute"])
    }

    @Test("says that the token of each login is refused")
    func refusedTokens() {
        var script = TrafficScript()
        for number in 1...4 {
            script.logIn(number)
            script.call(number, "/items", 401)
            script.wait(5)
        }
        let said = Self.messages(ObservationRun(script))
        #expect(said.allSatisfy { $0.contains("and the token of each is refused") }, "\(said)")
        #expect(said.count == 1)
    }

    @Test("says so when there are more of them than it counts")
    func bounded() {
        var script = TrafficScript()
        for number in 1...4_200 { script.logInQuickly(number) }
        #expect(
            Self.messages(ObservationRun(script))
                == ["at least 4096 logins of one client within a minute"]
        )
    }

    @Test("counts none that a logout follows, in whatever order they are")
    func loggedOut() {
        var script = TrafficScript()
        for number in 1...6 { script.logInQuickly(number) }
        for number in [2, 6, 1, 4] { script.logOut(number) }
        script.logInQuickly(7)
        #expect(Self.messages(ObservationRun(script)) == ["3 logins of one client within a minute"])
        var quiet = TrafficScript()
        for number in 1...200 {
            quiet.logInQuickly(number)
            quiet.logInQuickly(1_000 + number)
            quiet.logOut(number)
            quiet.logOut(1_000 + number)
        }
        #expect(Self.messages(ObservationRun(quiet)) == [])
    }
}

extension TrafficScript {
    /// A login that takes no time to speak of.
    fileprivate mutating func logInQuickly(_ number: Int) {
        logIn(number)
        wait(-Self.roundTrip * 0.9)
    }
}
