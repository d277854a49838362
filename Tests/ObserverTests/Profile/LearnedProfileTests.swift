import Backend
import Basics
import FoundationEssentials
import Model
import Testing

@testable import Observer
@testable import Profiles

@Suite("A profile learned from traffic")
struct LearnedProfileTests {
    private static let credentials = [
        "email": "ada@example.com", "password": "one of the test", "code": "123456",
        "identity_token": "an-identity-token-of-the-test",
    ].mapValues { Secret($0) }

    private static let dialects = ["bitbasel", "creatist", "intellipost", "melchat", "voltyks"]

    /// Traffic of a client that does everything right, and the answer to its last refresh.
    private static func traffic(
        of dialect: Dialect
    ) throws -> (traffic: ObservedTraffic, answer: WireResponse) {
        var client = GoodClient(dialect, .strict)
        try client.logIn()
        try client.use()
        client.wait(200)
        try client.renew()
        try client.use()
        try client.logOut()
        client.wait(5)
        try client.logIn()
        try client.use()
        let asked = client.askRefresh()
        let sent = try #require(asked)
        let answer = try client.receive(sent)
        return (ObservationRun(client.script).machine.traffic, answer)
    }

    /// Reads what was learned as a dialect.
    static func dialect(_ profile: LearnedProfile) throws -> Dialect {
        let lines = profile.text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.hasPrefix("base_url") }
        let text = "name = \"learned\"\n" + lines.joined(separator: "\n")
        return try Dialect(toml: text, file: "learned.toml")
    }

    private static func json(_ request: WireRequest) -> JSONValue? {
        request.body.isEmpty ? nil : JSONValue(parsing: request.body)
    }

    @Test("captures what the login brings for the logout, in a field or in a header")
    func capturedValues() throws {
        var script = TrafficScript()
        let login = script.send("POST", "/v3/auth/tokens", json: ["password": "correct"])
        let answer: JSONValue = ["session": ["id": .string(UnnamedTraffic.key(1))]]
        let token = WireHeader("X-Subject-Token", TrafficScript.access(1))
        script.finish(login, 201, answer, headers: [token])
        let own = WireHeader("X-Auth-Token", TrafficScript.access(1))
        let call = script.send("GET", "/items", headers: [own])
        script.finish(call, 200)
        let logout = script.send(
            "DELETE",
            "/v3/auth/tokens",
            headers: [token, own],
            json: ["sessionId": .string(UnnamedTraffic.key(1)), "device": "my telephone"]
        )
        script.finish(logout, 204)
        let profile = try #require(LearnedProfile(of: ObservationRun(script).machine.traffic))
        for line in [
            "login_id = \"session.id\"",
            "login_x_subject_token = \"header:X-Subject-Token\"",
            "request = \"DELETE /v3/auth/tokens\"", "access_in = \"header:X-Auth-Token\"",
            "fields = { sessionId = \"{login_id}\" }",
            "headers = { X-Subject-Token = \"{login_x_subject_token}\" }",
            "# It also sent device, with a value of its own.",
        ] {
            #expect(profile.text.contains(line), "\(line) in\n\(profile.text)")
        }
        #expect(throws: Never.self) { _ = try Self.dialect(profile) }
    }

    @Test("says that it cannot name the path of a logout")
    func unnamedLogout() throws {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct"])
        script.finish(
            login,
            200,
            [
                "access_token": .string(TrafficScript.access(1)),
                "session": ["id": .string(UnnamedTraffic.key(1))],
            ]
        )
        script.call(1)
        let logout = script.send(
            "DELETE",
            "/api/sessions/\(UnnamedTraffic.key(1))",
            bearer: TrafficScript.access(1)
        )
        script.finish(logout, 204)
        let run = ObservationRun(script)
        #expect(run.machine.traffic.graph.families[1]?.end == .logout)
        let profile = try #require(LearnedProfile(of: run.machine.traffic))
        #expect(profile.text.contains("#\(logout) was a logout, whose path has a value"))
    }

    @Test("has the scheme of the app", arguments: ["Token", "JWT"])
    func scheme(name: String) throws {
        var script = TrafficScript()
        script.logIn(refresh: false)
        let headers = [WireHeader("Authorization", "\(name) \(TrafficScript.access(1))")]
        for _ in 1...2 {
            let call = script.send("GET", "/items", headers: headers)
            script.finish(call, 200)
        }
        let profile = try #require(LearnedProfile(of: ObservationRun(script).machine.traffic))
        #expect(profile.text.contains("scheme = \"\(name)\""), "\(profile.text)")
        _ = try Self.dialect(profile)
    }

    /// An app of a backend with a form of its own, and the lines that describe it.
    struct Form: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let traffic: @Sendable (inout TrafficScript) -> Void
        let lines: [String]
    }

    private static func bearer(_ number: Int) -> WireHeader {
        WireHeader("Authorization", "Bearer \(TrafficScript.access(number))")
    }

    private static let forms = [
        Form(
            testDescription: "tokens in a list",
            traffic: { script in
                func tokens(_ number: Int) -> JSONValue {
                    [
                        "tokens": [
                            ["type": "access", "token": .string(TrafficScript.access(number))],
                            ["type": "refresh", "token": .string(TrafficScript.refresh(number))],
                        ]
                    ]
                }
                let login = script.send("POST", "/login", json: ["password": "correct"])
                script.finish(login, 200, tokens(1))
                script.call(1)
                let refresh = script.send(
                    "POST",
                    "/refresh",
                    json: ["refresh_token": .string(TrafficScript.refresh(1))]
                )
                script.finish(refresh, 200, tokens(2))
                script.call(2)
            },
            lines: ["access = \"tokens.0.token\"", "refresh = \"tokens.1.token\""]
        ),
        Form(
            testDescription: "a refresh token in a list",
            traffic: { script in
                script.logIn()
                script.call(1)
                let token = JSONValue.string(TrafficScript.refresh(1))
                let refresh = script.send(
                    "POST",
                    "/refresh",
                    json: ["tokens": [["token": token]]]
                )
                script.finish(refresh, 200, TrafficScript.pair(2))
                script.call(2)
            },
            lines: ["token_in = \"json:tokens.0.token\""]
        ),
        Form(
            testDescription: "a refresh token in the query",
            traffic: { script in
                script.logIn()
                script.call(1)
                let target = "/refresh?refresh_token=\(TrafficScript.refresh(1))"
                let refresh = script.send("POST", target)
                script.finish(refresh, 200, TrafficScript.pair(2))
                script.call(2)
            },
            lines: ["request = \"POST /refresh\"", "token_in = \"query:refresh_token\""]
        ),
        Form(
            testDescription: "the old access token beside the refresh token",
            traffic: { script in
                script.logIn()
                script.call(1)
                let refresh = script.send(
                    "POST",
                    "/refresh",
                    headers: [bearer(1)],
                    json: ["refresh_token": .string(TrafficScript.refresh(1))]
                )
                script.finish(refresh, 200, TrafficScript.pair(2))
                script.call(2)
            },
            lines: [
                "login_access_token = \"access_token\"",
                "headers = { Authorization = \"Bearer {login_access_token}\" }",
                "token_in = \"json:refresh_token\"",
            ]
        ),
        Form(
            testDescription: "the old access token in the body",
            traffic: { script in
                script.logIn()
                script.call(1)
                let refresh = script.send(
                    "POST",
                    "/refresh",
                    json: [
                        "accessToken": .string(TrafficScript.access(1)),
                        "refreshToken": .string(TrafficScript.refresh(1)),
                    ]
                )
                script.finish(refresh, 200, TrafficScript.pair(2))
                script.call(2)
            },
            lines: [
                "fields = { accessToken = \"{login_access_token}\" }",
                "token_in = \"json:refreshToken\"",
            ]
        ),
        Form(
            testDescription: "a login with Basic",
            traffic: { script in
                let basic = WireHeader("Authorization", "Basic YWRhOmNvcnJlY3Q=")
                let login = script.send("POST", "/login", headers: [basic])
                script.finish(login, 200, TrafficScript.pair(1))
                script.call(1)
            },
            lines: ["client_auth = \"basic\""]
        ),
        Form(
            testDescription: "a cookie that each answer replaces",
            traffic: { script in
                func cookie(_ number: Int) -> WireHeader {
                    WireHeader(
                        "Set-Cookie",
                        "session=\(UnnamedTraffic.key(number)); Max-Age=600; HttpOnly; Path=/"
                    )
                }
                let login = script.send("POST", "/login", json: ["password": "correct"])
                script.finish(login, 200, [:], headers: [cookie(1)])
                for number in 1...5 {
                    let sent = WireHeader("Cookie", "session=\(UnnamedTraffic.key(number))")
                    let call = script.send("GET", "/items", headers: [sent])
                    script.finish(call, 200, [:], headers: [cookie(number + 1)])
                    script.wait(5)
                }
            },
            lines: [
                "token_in = \"cookie:session\"", "refresh = \"cookie:session\"",
                "refresh_expires = \"cookie:session\"",
            ]
        ),
    ]

    @Test("describes the form of its backend, so that it can be read again", arguments: forms)
    func form(form: Form) throws {
        var script = TrafficScript()
        form.traffic(&script)
        let profile = try #require(LearnedProfile(of: ObservationRun(script).machine.traffic))
        for line in form.lines {
            #expect(profile.text.contains(line), "\(line) in\n\(profile.text)")
        }
        #expect(!profile.text.contains("It also sent"), "\(profile.text)")
        #expect(throws: Never.self) { _ = try Self.dialect(profile) }
    }

    @Test("keeps the flags that a request has, as flags")
    func flags() throws {
        var script = TrafficScript()
        let login = script.send(
            "POST",
            "/login",
            json: ["username": "ada", "password": "correct", "device": ["remember": true]]
        )
        script.finish(login, 200, TrafficScript.pair(1))
        let profile = try #require(LearnedProfile(of: ObservationRun(script).machine.traffic))
        #expect(profile.text.contains("device = { remember = true }"), "\(profile.text)")
        #expect(!profile.text.contains("It also sent device.remember"))
        _ = try Self.dialect(profile)
    }

    @Test("sends what the app sends, and reads what it gets", arguments: dialects)
    func requests(name: String) throws {
        let original = try #require(Dialect.builtIn(named: name))
        let (traffic, answer) = try Self.traffic(of: original)
        let profile = try #require(LearnedProfile(of: traffic))
        let learned = try Self.dialect(profile)
        let logins = try [learned, original].map { try $0.loginRequest(Self.credentials) }
        #expect(logins[0].method == logins[1].method && logins[0].target == logins[1].target)
        #expect(Self.json(logins[0]) == Self.json(logins[1]))
        let token = RefreshToken(Secret("a-refresh-token-of-the-test"))
        let refreshes = [learned, original].map { $0.refreshRequest(token) }
        #expect(refreshes[0].method == refreshes[1].method)
        #expect(refreshes[0].target == refreshes[1].target)
        #expect(Self.json(refreshes[0]) == Self.json(refreshes[1]))
        #expect(refreshes[0].header("Authorization") == refreshes[1].header("Authorization"))
        let access = AccessToken(Secret("an-access-token-of-the-test"))
        let uses = [learned, original].map { $0.protectedRequest(access) }
        #expect(uses[0].target == uses[1].target)
        #expect(uses[0].header("Authorization") == uses[1].header("Authorization"))
        let readings = [learned, original].map { $0.readRefresh(answer) }
        guard case .issued(let tokens) = readings[0], case .issued(let expected) = readings[1]
        else {
            Issue.record("not read as a renewal")
            return
        }
        #expect(tokens.access.secret == expected.access.secret)
        #expect(tokens.refresh?.secret == expected.refresh?.secret)
        #expect(!tokens.accessEvidence.isEmpty)
    }

    @Test("has how a refresh token is refused, with the code that says so")
    func refusals() throws {
        var script = TrafficScript()
        script.logIn()
        script.renew(1)
        script.wait(1)
        script.refuseRefresh(1)
        let traffic = ObservationRun(script).machine.traffic
        let profile = try #require(LearnedProfile(of: traffic))
        let rule = "status = 400   # #3\nkey = \"error\"\nequals = \"invalid_grant\""
        #expect(profile.text.contains("[[refresh.terminal]]\n\(rule)\n"))
        #expect(!profile.text.contains("no refusal"))
        _ = try Self.dialect(profile)
    }

    @Test("has no secret in it, and marks what it guesses")
    func secrets() throws {
        var script = TrafficScript()
        script.logIn()
        script.renew(1)
        let traffic = ObservationRun(script).machine.traffic
        let profile = try #require(LearnedProfile(of: traffic))
        for secret in ["token-of-generation", "ada", "correct"] {
            #expect(!profile.text.contains(secret))
        }
        #expect(profile.text.contains("status = 401   # guessed: no refusal was seen"))
        #expect(
            profile.missing == ["no refused refresh token", "no request with an access token"]
        )
        #expect(profile.text.contains("access_expires = \"seconds:expires_in\""))
    }

    @Test("sends the words of a login that are the same each time, flags and lists among them")
    func constants() throws {
        var script = TrafficScript()
        let identity: JSONValue = [
            "methods": ["password"],
            "user": ["name": "ada", "password": "correct", "domain": ["id": "default"]],
        ]
        let login = script.send(
            "POST",
            "/login",
            json: [
                "identity": identity, "provider": "local", "remember": true,
                "scopes": ["read", "write"], "nickname": "ada of the north",
            ]
        )
        script.finish(login, 200, TrafficScript.pair(1))
        script.renew(1)
        let traffic = ObservationRun(script).machine.traffic
        let profile = try #require(LearnedProfile(of: traffic))
        let learned = try Self.dialect(profile)
        let request = try learned.loginRequest([
            "name": Secret("one-of-the-test"), "password": Secret("another-of-the-test"),
        ])
        #expect(
            Self.json(request) == [
                "identity": [
                    "methods": ["password"],
                    "user": [
                        "name": "one-of-the-test", "password": "another-of-the-test",
                        "domain": ["id": "default"],
                    ],
                ],
                "provider": "local", "remember": true, "scopes": ["read", "write"],
            ]
        )
        #expect(profile.text.contains("# It also sent nickname, with a value of its own."))
        #expect(!profile.text.contains("north"))
    }

    @Test("captures the cookie whose value a header repeats, and sends both again")
    func doubleSubmit() throws {
        func cookies(_ number: Int) -> [WireHeader] {
            [
                WireHeader("Set-Cookie", "access=\(TrafficScript.access(number)); Max-Age=900"),
                WireHeader("Set-Cookie", "refresh=\(TrafficScript.refresh(number)); HttpOnly"),
                WireHeader("Set-Cookie", "csrf_token=value-\(number)-against-forgery"),
            ]
        }
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["username": "ada", "password": "correct"])
        script.finish(login, 200, [:], headers: cookies(1))
        script.wait(60)
        let sent = "refresh=\(TrafficScript.refresh(1)); csrf_token=value-1-against-forgery"
        let refresh = script.send(
            "POST",
            "/refresh",
            headers: [
                WireHeader("Cookie", sent), WireHeader("X-CSRF", "value-1-against-forgery"),
                WireHeader("X-Refresh-Token", TrafficScript.refresh(1)),
            ]
        )
        script.finish(refresh, 200, [:], headers: cookies(2))
        let traffic = ObservationRun(script).machine.traffic
        let profile = try #require(LearnedProfile(of: traffic))
        let lines = [
            "[capture]\ncsrf = \"cookie:csrf_token\"\n",
            "headers = { X-CSRF = \"{csrf}\", Cookie = \"csrf_token={csrf}\" }\n",
        ]
        for line in lines { #expect(profile.text.contains(line), "\(profile.text)") }
        #expect(!profile.text.contains("against-forgery"))
        _ = try Self.dialect(profile)
    }

    @Test("of an app that was logged in already exchanges a refresh token")
    func withoutLogin() throws {
        var script = TrafficScript()
        script.renew(1)
        script.call(2)
        let traffic = ObservationRun(script).machine.traffic
        let profile = try #require(LearnedProfile(of: traffic))
        let learned = try Self.dialect(profile)
        let request = try learned.loginRequest(["refresh_token": Secret("one-of-the-test")])
        #expect(request.target == "/auth/refresh")
        #expect(Self.json(request) == ["refresh_token": "one-of-the-test"])
    }

    @Test("of a token endpoint extends the dialect of OAuth 2.0")
    func oauth() throws {
        var script = TrafficScript()
        let login = script.send(
            "POST",
            "/oauth/token",
            form: "grant_type=password&username=ada&password=correct&client_id=web"
        )
        script.finish(login, 200, TrafficScript.pair(1))
        let refresh = script.send(
            "POST",
            "/oauth/token",
            form: "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(1))&client_id=web"
        )
        script.finish(refresh, 200, TrafficScript.pair(2))
        script.call(2)
        let traffic = ObservationRun(script).machine.traffic
        let text = try #require(LearnedProfile(of: traffic)).text
        for line in [
            "extends = \"oauth2\"", "client_auth = \"public\"", "grant = \"password\"",
            "request = \"POST /oauth/token\"", "rotation = \"always\"", "client_id = \"web\"",
        ] {
            #expect(text.contains("\(line)\n"), "\(line)")
        }
    }

    @Test("has the place of a refresh token that only some renewals bring")
    func sometimes() throws {
        var script = TrafficScript()
        script.logIn()
        script.renew(1)
        let last = script.askRefresh(2)
        script.finish(last, 200, TrafficScript.pair(3, refresh: false))
        let traffic = ObservationRun(script).machine.traffic
        let text = try #require(LearnedProfile(of: traffic)).text
        #expect(text.contains("rotation = \"maybe\"\n"))
        let answer = try #require(text.split(separator: "[refresh.response]\n").last)
        #expect(answer.hasPrefix("access = \"access_token\"\nrefresh = \"refresh_token\"\n"))
    }

    @Test("names the server of a request with an access token if none went to that of the tokens")
    func otherServer() throws {
        var script = TrafficScript()
        script.logIn()
        script.renew(1)
        let server = script.origin
        script.origin = "https://data.example.com"
        script.call(2, "/records")
        let profile = try #require(LearnedProfile(of: ObservationRun(script).machine.traffic))
        let request = "request = \"GET https://data.example.com/records\"\n"
        #expect(profile.text.contains(request), "\(profile.text)")
        #expect(profile.missing == ["no refused refresh token"])
        _ = try Self.dialect(profile)
        script.origin = server
        script.call(2)
        let both = try #require(LearnedProfile(of: ObservationRun(script).machine.traffic))
        #expect(both.text.contains("request = \"GET /items\"\n"), "\(both.text)")
        #expect(!both.text.contains("data.example.com"))
    }

    @Test("needs an answer with tokens")
    func nothing() {
        var script = TrafficScript()
        script.call(1)
        #expect(LearnedProfile(of: ObservationRun(script).machine.traffic) == nil)
    }
}
