import Profiles
import Testing

@testable import Basics
@testable import Model
@testable import Observer

@Suite("Tokens under names that say nothing of them")
struct UnnamedTokenTests {
    /// A place where an app sends back what an answer has brought.
    enum Place: String, CaseIterable {
        case json
        case nested
        case otherName = "another name"
        case knownName = "the usual name"
        case form
        case text
        case header
        case bearer
        case query
        case cookie
    }

    private static func key(_ number: Int) -> String { UnnamedTraffic.key(number) }

    private static func answer(
        _ exchange: Int,
        _ number: Int,
        at place: Place,
        named name: String,
        in script: inout TrafficScript
    ) {
        var tokens: [String: JSONValue] = [
            name: .string(access(number)), "lifetime": 300, "userId": .string(user),
        ]
        if place == .cookie {
            let cookie = WireHeader("Set-Cookie", "rk=\(key(number)); Path=/prolong")
            script.finish(exchange, 200, .object(tokens), headers: [cookie])
        } else {
            tokens["renewal"] = .string(key(number))
            script.finish(exchange, 200, ["data": .object(tokens)])
        }
    }

    private static func access(_ number: Int) -> String { "8Yw2RtHq5nDx0pLkVb7c\(number)" }

    private static func call(_ number: Int, in script: inout TrafficScript) {
        let call = script.send("GET", "/items", bearer: access(number))
        script.finish(call, 200, ["items": []])
    }

    private static let user = "4be0643f-1d98-473b-97cd-ca98a65347dd"

    private static func ask(_ number: Int, at place: Place, in script: inout TrafficScript) -> Int {
        let value = JSONValue.string(key(number))
        let path = "/prolong"
        return switch place {
        case .json: script.send("POST", path, json: ["renewal": value, "userId": .string(user)])
        case .nested: script.send("POST", path, json: ["data": ["keys": ["renewal": value]]])
        case .otherName: script.send("PUT", path, json: ["k": value, "platform": "ios"])
        case .knownName: script.send("POST", path, json: ["refresh_token": value])
        case .form: script.send("POST", path, form: "renewal=\(key(number))")
        case .text: script.send("POST", path, body: Array(key(number).utf8))
        case .header:
            script.send("POST", path, headers: [WireHeader("X-Renewal", key(number))])
        case .bearer: script.send("POST", path, bearer: key(number))
        case .query: script.send("POST", path + "?k=\(key(number))")
        case .cookie:
            script.send("POST", path, headers: [WireHeader("Cookie", "rk=\(key(number))")])
        }
    }

    @Test(
        "one that comes back, and brings the next access token, is a refresh token",
        arguments: Place.allCases,
        ["jwt", "sessionKey"]
    )
    func renewals(place: Place, name: String) throws {
        var script = TrafficScript()
        let login = script.send("POST", "/enter", json: ["username": "ada", "password": "correct"])
        Self.answer(login, 1, at: place, named: name, in: &script)
        Self.call(1, in: &script)
        for number in 1...3 {
            script.wait(280)
            let renewal = Self.ask(number, at: place, in: &script)
            Self.answer(renewal, number + 1, at: place, named: name, in: &script)
            Self.call(number + 1, in: &script)
        }
        let run = ObservationRun(script)
        let traffic = run.machine.traffic
        #expect(traffic.graph.families.count == 1, "\(place) \(name)")
        let family = try #require(traffic.graph.families[1])
        #expect(!family.isJoined)
        #expect(family.generations.map(\.number) == [1, 2, 3, 4])
        #expect(traffic.exchanges.map(\.purpose).count { $0 == .login } == 1)
        let renewals = traffic.exchanges.filter { $0.purpose == .refresh }
        #expect(renewals.count == 3)
        #expect(renewals.allSatisfy { $0.outcome == .issued && $0.refresh != nil })
        let others = run.findings.filter { $0.rule != "token-in-url" && $0.severity != .note }
        #expect(others.isEmpty, "\(run.summary)")
        let again = ObservationRun(run.inputs, like: run)
        #expect(again.events == run.events)
    }

    @Test("the profile that is learned names their places")
    func profile() throws {
        var script = TrafficScript()
        UnnamedTraffic.logIn(&script)
        for number in 1...2 { _ = UnnamedTraffic.renew(number, after: 280, &script) }
        let profile = try #require(LearnedProfile(of: ObservationRun(script).machine.traffic))
        #expect(profile.text.contains("token_in = \"json:renewalKey\""), "\(profile.text)")
        #expect(profile.text.split(separator: "refresh = \"renewalKey\"").count == 3)
    }

    // MARK: - Access tokens

    private static func field(_ name: String) -> [WireHeader] { [WireHeader(name, key(1))] }

    @Test(
        "what an answer to a password brings, and each request sends back, is an access token",
        arguments: ["X-Vault-Token", "Api-Session-Id", "?_sid", "?ticket"]
    )
    func accessTokens(name: String) throws {
        func call(_ status: Int, in script: inout TrafficScript) {
            let call =
                name.begins(with: "?")
                ? script.send("GET", "/items\(name)=\(Self.key(1))")
                : script.send("GET", "/items", headers: Self.field(name))
            script.finish(call, status, status == 200 ? ["items": []] : ["error": "no access"])
        }
        var script = TrafficScript()
        let login = script.send("POST", "/enter", json: ["username": "ada", "password": "correct"])
        script.finish(login, 200, ["auth": ["value": .string(Self.key(1)), "renewable": true]])
        for _ in 1...3 { call(200, in: &script) }
        let sound = ObservationRun(script)
        #expect(sound.machine.traffic.graph.families.count == 1)
        #expect(sound.findings.allSatisfy { $0.severity == .note || $0.rule == "token-in-url" })
        for _ in 1...12 {
            call(401, in: &script)
            script.wait(10)
        }
        let run = ObservationRun(script)
        let finding = try #require(run.findings.first { $0.rule == "loop-401" }, "\(run.summary)")
        #expect(finding.confidence == .likely)
        #expect(run.machine.traffic.exchange(login)?.purpose == .login)
    }

    @Test("the id of a sign-in in two steps, and that of a device, is no access token")
    func noAccessToken() {
        var script = TrafficScript()
        let begin = script.send("POST", "/enter", json: ["username": "ada", "password": "correct"])
        script.finish(begin, 200, ["flow": .string(Self.key(1)), "next": "code"])
        let proof = script.send(
            "POST",
            "/enter/code",
            headers: Self.field("X-Flow"),
            json: ["otp": "123456"]
        )
        script.finish(proof, 200, ["jwt": .string(TrafficScript.access(1)), "expires_in": 300])
        for _ in 1...3 {
            let call = script.send(
                "GET",
                "/items",
                bearer: TrafficScript.access(1),
                headers: Self.field("X-Flow")
            )
            script.finish(call, 200, ["items": []])
        }
        #expect(Self.sessions(script) == 1)
    }

    // MARK: - What else comes back

    private static func sessions(_ script: TrafficScript) -> Int {
        let run = ObservationRun(script)
        #expect(run.findings.isEmpty, "\(run.summary)")
        return run.machine.traffic.graph.families.count
    }

    @Test("a value beside a password is no refresh token", arguments: ["csrf", "nonce", "flow"])
    func besidePassword(name: String) {
        var script = TrafficScript()
        for number in 1...3 {
            let login = script.send(
                "POST",
                "/enter",
                json: [
                    "username": "ada", "password": "correct", name: .string(Self.key(number)),
                ]
            )
            script.finish(
                login,
                200,
                [
                    "jwt": .string(TrafficScript.access(number)), "expires_in": 60,
                    name: .string(Self.key(number + 1)),
                ]
            )
            script.call(number)
            script.wait(100)
        }
        #expect(Self.sessions(script) == 3)
    }

    @Test(
        "an id beside a proof is no refresh token",
        arguments: ["account", "deviceKey", "user_id"]
    )
    func besideProof(name: String) {
        var script = TrafficScript()
        for number in 1...3 {
            let login = script.send(
                "POST",
                "/passkey",
                json: [
                    name: .string(Self.user), "signature": .string("MEUCIQ\(number)xyz0123456789"),
                ]
            )
            script.finish(
                login,
                200,
                [
                    "jwt": .string(TrafficScript.access(number)), "expires_in": 60,
                    name: .string(Self.user),
                ]
            )
            script.call(number)
            script.wait(100)
        }
        #expect(Self.sessions(script) == 3)
    }

    @Test("what comes with every request is no refresh token", arguments: ["X-Device", "X-Tenant"])
    func everyRequest(name: String) {
        var script = TrafficScript()
        for number in 1...3 {
            let header = WireHeader(name, Self.key(1))
            let login = script.send("POST", "/enter", headers: [header], json: ["ticket": "a"])
            script.finish(
                login,
                200,
                [
                    "jwt": .string(TrafficScript.access(number)), "expires_in": 60,
                    "installation": .string(Self.key(1)),
                ]
            )
            let call = script.send(
                "GET",
                "/items",
                bearer: TrafficScript.access(number),
                headers: [header]
            )
            script.finish(call, 200, ["items": []])
            script.wait(100)
        }
        #expect(Self.sessions(script) == 3)
    }

    @Test("an id that is sent with an access token, and brings another one, renews nothing")
    func tenant() {
        var script = TrafficScript()
        let login = script.send("POST", "/enter", json: ["username": "ada", "password": "correct"])
        script.finish(
            login,
            200,
            [
                "jwt": .string(TrafficScript.access(1)), "expires_in": 300,
                "tenants": [["tenant": .string(Self.user)]],
            ]
        )
        script.call(1)
        let change = script.send(
            "POST",
            "/tenants/select",
            bearer: TrafficScript.access(1),
            json: ["tenant": .string(Self.user)]
        )
        script.finish(change, 200, ["jwt": .string(TrafficScript.access(2)), "expires_in": 300])
        script.call(2)
        let run = ObservationRun(script)
        #expect(run.findings.isEmpty, "\(run.summary)")
        #expect(run.machine.traffic.exchange(change)?.purpose == .protected)
    }

    @Test("another user's login renews nothing")
    func otherUser() {
        var script = TrafficScript()
        for (number, user) in ["ada", "bob"].enumerated() {
            let header = WireHeader("Cookie", number == 0 ? "a=b" : "device=\(Self.key(1))")
            let login = script.send("POST", "/passkey", headers: [header], json: ["ticket": "a"])
            let token = TrafficScript.webToken([
                "sub": .string(user), "jti": .integer(Int64(number)),
            ])
            script.finish(
                login,
                200,
                ["jwt": .string(token), "expires_in": 60],
                headers: [WireHeader("Set-Cookie", "device=\(Self.key(number + 1))")]
            )
            script.wait(100)
        }
        #expect(ObservationRun(script).machine.traffic.graph.families.count == 2)
    }
}
