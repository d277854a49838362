import Basics
import Model
import Profiles
import Testing

@testable import Observer

/// An API that gives out one access token under a name of its own, as its documentation describes it.
struct OwnTokenAPI: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let logIn: @Sendable (inout TrafficScript) -> Void
    /// Sends a request with the token, and returns it.
    let call: @Sendable (inout TrafficScript) -> Int

    init(
        _ sentence: String,
        logIn: @escaping @Sendable (inout TrafficScript) -> Void,
        call: @escaping @Sendable (inout TrafficScript) -> Int
    ) {
        testDescription = sentence
        self.logIn = logIn
        self.call = call
    }

    static let token = "9bFmB8eq3v5RkqTz0LwYp7Xd"
    private static let password: JSONValue = ["username": "ada", "password": "correct"]

    private static func header(_ name: String, _ value: String = token) -> WireHeader {
        WireHeader(name, value)
    }

    private static func soap(_ body: String, in script: inout TrafficScript) -> Int {
        script.send(
            "POST",
            "/soap",
            headers: [header("Content-Type", "text/xml; charset=utf-8")],
            body: Array("<e:Envelope><e:Body>\(body)</e:Body></e:Envelope>".utf8)
        )
    }

    static let all: [OwnTokenAPI] = [
        OwnTokenAPI("a header field of the member's name, for the token of another session") {
            $0.ask(
                "POST",
                "/login?access_token=0b5f11aa0b5f11aa",
                200,
                ["BhRestToken": .string(token)]
            )
        } call: {
            $0.send("GET", "/entities", headers: [header("BhRestToken")])
        },
        OwnTokenAPI("a scheme of its own, and a key that is no word of base64") {
            $0.ask(
                "POST",
                "/auth/login",
                form: "username=u&password=p",
                200,
                ["key": .string("\(token)^a1b2")]
            )
        } call: {
            $0.send("GET", "/jobs", headers: [header("Authorization", "Splunk \(token)^a1b2")])
        },
        OwnTokenAPI("a password of the app, sent by Basic") {
            $0.ask("POST", "/poll", form: "token=0b5f11aa", 200, ["appPassword": .string(token)])
        } call: {
            let pair = Base64URL.encode("ada:\(token)".utf8)
            return $0.send("GET", "/files", headers: [header("Authorization", "Basic \(pair)")])
        },
        OwnTokenAPI("an answer that is one string, to Basic") {
            let login = $0.send(
                "POST",
                "/api/session",
                headers: [header("Authorization", "Basic dTpwYXNzd29yZDEyMzQ=")]
            )
            $0.finish(login, 201, .string(token))
        } call: {
            $0.send("GET", "/vm", headers: [header("vendor-api-session-id")])
        },
        OwnTokenAPI("a password in the address") {
            $0.ask("GET", "/entry?method=login&passwd=p", 200, ["data": ["sid": .string(token)]])
        } call: {
            $0.send("GET", "/entry?method=list&_sid=\(token)")
        },
        OwnTokenAPI("the one cookie that scripts cannot read") {
            let login = $0.send("POST", "/session", json: password)
            $0.finish(
                login,
                200,
                ["user": ["id": 1]],
                headers: [
                    header("Set-Cookie", "_t=\(token); Path=/; HttpOnly"),
                    header("Set-Cookie", "view=3kqTz0LwYp7Xd9bFmB8e; Path=/"),
                ]
            )
        } call: {
            $0.send(
                "GET",
                "/latest",
                headers: [header("Cookie", "_t=\(token); view=3kqTz0LwYp7Xd9bFmB8e")]
            )
        },
        OwnTokenAPI("the fields of forms") {
            $0.ask("POST", "/start", form: "secret=p&partnerId=1", 200, .string(token))
        } call: {
            $0.send("POST", "/media/list", form: "ks=\(token)&format=1")
        },
        OwnTokenAPI("calls of JSON-RPC") {
            $0.ask(
                "POST",
                "/rpc",
                json: ["jsonrpc": "2.0", "method": "user.login", "params": password, "id": 1],
                200,
                ["jsonrpc": "2.0", "result": .string(token), "id": 1]
            )
        } call: {
            $0.send(
                "POST",
                "/rpc",
                json: [
                    "jsonrpc": "2.0", "method": "host.get", "auth": .string(token),
                    "id": .integer(Int64($0.seconds)),
                ]
            )
        },
        OwnTokenAPI("a token with the id of its user") {
            $0.ask(
                "POST",
                "/enter",
                json: password,
                200,
                ["sessionKey": .string(token), "member": "4be0643f-1d98-473b-97cd-ca98a65347dd"]
            )
        } call: {
            $0.send(
                "GET",
                "/items",
                headers: [
                    header("X-Key"), header("X-Member", "4be0643f-1d98-473b-97cd-ca98a65347dd"),
                ]
            )
        },
        OwnTokenAPI("a header field of the answer that comes back") {
            $0.ask("POST", "/login", json: password, 200, [:], fields: [header("Context-Token")])
        } call: {
            $0.send("GET", "/cart", headers: [header("Context-Token")])
        },
        OwnTokenAPI("a header field whose name says that it has a key") {
            $0.ask("POST", "/users/ada/login", json: ["by": "id"], 200, ["id": .string(token)])
        } call: {
            $0.send("GET", "/channels", headers: [header("Session-Key")])
        },
        OwnTokenAPI("a login that answers in XML") {
            let key = "<response><sessionKey>\(token)</sessionKey></response>"
            $0.ask("POST", "/login", form: "username=u&password=p", answer: key, as: "text/xml")
        } call: {
            $0.send("GET", "/jobs", headers: [header("Authorization", "Splunk \(token)")])
        },
        OwnTokenAPI("the id of a session, in XML and in an address") {
            let sid = "<SessionInfo><SID>\(token)</SID><Rights/></SessionInfo>"
            $0.ask("POST", "/login_sid", form: "response=2$60000", answer: sid, as: "text/xml")
        } call: {
            $0.send("GET", "/devices?sid=\(token)")
        },
        OwnTokenAPI("the headers of SOAP") {
            let body = "<result><sessionId>\(token)</sessionId></result>"
            let login = soap("<username>ada</username><password>p</password>", in: &$0)
            $0.wait(TrafficScript.roundTrip)
            let type = header("Content-Type", "text/xml")
            let answer = "<e:Envelope><e:Body>\(body)</e:Body></e:Envelope>"
            $0.answer(login, 200, headers: [type], body: Array(answer.utf8))
            $0.deliver(login)
        } call: {
            soap("<SessionHeader><sessionId>\(token)</sessionId></SessionHeader>", in: &$0)
        },
    ]
}

@Suite("Access tokens of APIs that name them as they like")
struct UnnamedAccessTests {
    private static func talk(to api: OwnTokenAPI) -> TrafficScript {
        var script = TrafficScript()
        api.logIn(&script)
        for _ in 1...4 {
            script.wait(60)
            script.finish(api.call(&script), 200, ["items": []])
        }
        return script
    }

    @Test("are known by what presents them", arguments: OwnTokenAPI.all)
    func sessions(api: OwnTokenAPI) throws {
        let run = ObservationRun(Self.talk(to: api))
        let traffic = run.machine.traffic
        #expect(traffic.graph.families.count == 1, "\(api)")
        let family = try #require(traffic.graph.families.values.first)
        #expect(!family.isJoined && family.generations.count == 1)
        #expect(traffic.exchange(1)?.purpose == .login)
        #expect(traffic.exchange(5)?.purpose == .protected)
        #expect(
            run.findings.allSatisfy { $0.severity == .note || $0.rule == "token-in-url" },
            "\(run.summary)"
        )
    }

    @Test("are found to be used on, once they are refused", arguments: OwnTokenAPI.all)
    func usedOn(api: OwnTokenAPI) throws {
        var script = Self.talk(to: api)
        for _ in 1...12 {
            script.wait(5)
            script.finish(api.call(&script), 401, ["error": "no access"])
        }
        let run = ObservationRun(script)
        #expect(run.findings.contains { $0.rule == "loop-401" }, "\(run.summary)")
    }

    @Test("are in the profile that is learned, which can be read", arguments: OwnTokenAPI.all)
    func profile(api: OwnTokenAPI) throws {
        let learned = LearnedProfile(of: ObservationRun(Self.talk(to: api)).machine.traffic)
        guard let learned else { return }
        #expect(throws: Never.self, "\(learned.text)") {
            _ = try LearnedProfileTests.dialect(learned)
        }
    }

    // MARK: - What is none

    @Test(
        "a place in a list that a request sends back is none",
        arguments: ["cursor", "pageToken"]
    )
    func cursor(name: String) {
        var script = TrafficScript()
        for number in 1...4 {
            script.ask(
                "POST",
                "/search?\(name)=\(OwnTokenAPI.token)\(number - 1)",
                json: ["query": "all"],
                200,
                ["items": [], name: .string("\(OwnTokenAPI.token)\(number)")]
            )
        }
        #expect(ObservationRun(script).machine.traffic.graph.families.isEmpty)
    }

    @Test("a step of a login is none, and the token that it brings is")
    func step() {
        var script = TrafficScript()
        script.ask(
            "POST",
            "/login",
            json: ["username": "ada", "password": "correct"],
            200,
            ["flow": .string(OwnTokenAPI.token)]
        )
        script.ask(
            "POST",
            "/login/answer",
            json: ["flow": .string(OwnTokenAPI.token), "answer": "yes"],
            200,
            ["jwt": .string(TrafficScript.access(1)), "expires_in": 300]
        )
        script.call(1)
        let run = ObservationRun(script)
        #expect(run.machine.traffic.graph.families.count == 1)
        #expect(run.machine.traffic.exchange(2)?.purpose == .login)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test("cookies of visitors are none, and one of two that scripts cannot read")
    func cookies() {
        var script = TrafficScript()
        let login = script.send("POST", "/session", json: ["username": "ada", "password": "p"])
        let (first, second) = ("a=\(OwnTokenAPI.token)", "b=\(OwnTokenAPI.token)2")
        script.finish(
            login,
            200,
            ["user": 1],
            headers: [first, second].map { WireHeader("Set-Cookie", "\($0); HttpOnly") }
        )
        for _ in 1...3 {
            let call = script.send(
                "GET",
                "/items",
                headers: [WireHeader("Cookie", "\(first); \(second)")]
            )
            script.finish(call, 200, ["items": []])
        }
        #expect(ObservationRun(script).machine.traffic.graph.families.isEmpty)
    }
}
