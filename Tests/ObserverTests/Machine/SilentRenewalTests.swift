import Model
import Profiles
import Testing

@testable import Basics
@testable import Observer

@Suite("Authorization requests without a page")
struct SilentRenewalTests {
    private static let page = "/authorize?client_id=app&response_type=token&scope=openid"
    private static let session = WireHeader("Cookie", "idp_session=6b1a9c3f0d2e4b5a8c7d")

    private static func token(_ user: String?, _ number: Int, audience: String = "api") -> String {
        guard let user else { return TrafficScript.access(number) }
        return TrafficScript.webToken([
            "sub": .string(user), "jti": .integer(Int64(number)), "aud": .string(audience),
        ])
    }

    private static func call(_ token: String, in script: inout TrafficScript) {
        let call = script.send("GET", "/items", bearer: token)
        script.finish(call, 200, ["items": []])
    }

    /// The provider redirects with the token in the fragment.
    private static func authorize(
        _ token: String,
        isSilent: Bool,
        in script: inout TrafficScript
    ) -> Int {
        let exchange = script.send(
            "GET",
            page + (isSilent ? "&prompt=none" : ""),
            headers: [session]
        )
        let fragment = "access_token=\(token)&token_type=Bearer&expires_in=300"
        let location = WireHeader("Location", "https://app.example.com/callback#\(fragment)")
        script.finish(exchange, 302, headers: [location])
        call(token, in: &script)
        return exchange
    }

    /// The provider redirects with a code, which the app exchanges.
    private static func exchangeCode(
        _ number: Int,
        user: String?,
        isSilent: Bool,
        in script: inout TrafficScript
    ) -> Int {
        let page = "/authorize?client_id=app&response_type=code&scope=openid"
        let asked = script.send("GET", page + (isSilent ? "&prompt=none" : ""), headers: [session])
        let location = "https://app.example.com/callback?code=code-\(number)x8f3k2m9q"
        script.finish(asked, 302, headers: [WireHeader("Location", location)])
        let exchange = script.send(
            "POST",
            "/token",
            form: "grant_type=authorization_code&client_id=app&code=code-\(number)x8f3k2m9q"
        )
        script.finish(
            exchange,
            200,
            ["access_token": .string(token(user, number)), "expires_in": 300]
        )
        call(token(user, number), in: &script)
        return exchange
    }

    private static func purposes(_ run: ObservationRun, _ numbers: [Int]) -> [ExchangePurpose?] {
        numbers.map { run.machine.traffic.exchange($0)?.purpose }
    }

    @Test("renew the session, and the one with a page begins it", arguments: [nil, "ada"])
    func implicit(user: String?) {
        var script = TrafficScript()
        var numbers: [Int] = []
        for number in 1...3 {
            let token = Self.token(user, number)
            numbers.append(Self.authorize(token, isSilent: number > 1, in: &script))
            script.wait(250)
        }
        let run = ObservationRun(script)
        #expect(Self.purposes(run, numbers) == [.login, .refresh, .refresh])
        let sessions = run.machine.traffic.graph.families.values
            .filter { $0.generations.count == 3 && !$0.isJoined }
        #expect(sessions.count == 1)
        #expect(run.findings.allSatisfy { $0.severity == .note }, "\(run.summary)")
    }

    @Test("renew the session by a code, too", arguments: [nil, "ada"])
    func code(user: String?) {
        var script = TrafficScript()
        var numbers: [Int] = []
        for number in 1...3 {
            numbers.append(
                Self.exchangeCode(number, user: user, isSilent: number > 1, in: &script)
            )
            script.wait(250)
        }
        let run = ObservationRun(script)
        #expect(Self.purposes(run, numbers) == [.login, .refresh, .refresh])
        #expect(run.findings.allSatisfy { $0.severity == .note }, "\(run.summary)")
    }

    @Test("renew nothing where another user has signed in", arguments: [true, false])
    func otherUser(isSilent: Bool) {
        var script = TrafficScript()
        var numbers: [Int] = []
        for (number, user) in ["ada", "bob"].enumerated() {
            numbers.append(
                Self.authorize(
                    Self.token(user, number),
                    isSilent: number > 0 && isSilent,
                    in: &script
                )
            )
            script.wait(100)
        }
        let run = ObservationRun(script)
        #expect(Self.purposes(run, numbers) == [.login, .login])
    }

    @Test("renew nothing where the token is for something else")
    func otherAudience() {
        var script = TrafficScript()
        var numbers: [Int] = []
        for (number, audience) in ["api", "mail"].enumerated() {
            let token = Self.token("ada", number, audience: audience)
            numbers.append(Self.authorize(token, isSilent: number > 0, in: &script))
        }
        #expect(Self.purposes(ObservationRun(script), numbers) == [.login, .login])
    }

    @Test("a page that follows a silent request that failed begins another session")
    func pageAfterFailure() {
        var script = TrafficScript()
        let first = Self.exchangeCode(1, user: "ada", isSilent: false, in: &script)
        script.wait(400)
        let silent = script.send("GET", Self.page + "&prompt=none", headers: [Self.session])
        let location = "https://app.example.com/callback?error=login_required"
        script.finish(silent, 302, headers: [WireHeader("Location", location)])
        script.wait(20)
        let second = Self.exchangeCode(2, user: "ada", isSilent: false, in: &script)
        let run = ObservationRun(script)
        #expect(Self.purposes(run, [first, second]) == [.login, .login])
    }
}
