import Testing

@testable import Basics
@testable import Model
@testable import Observer
@testable import Profiles

/// A backend's way to hand out tokens, and to take them back, without a profile that says so.
struct TokenShape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Asks for the first pair.
    let logIn: @Sendable (inout TrafficScript) -> Int
    /// Asks for the pair after one.
    let askRefresh: @Sendable (inout TrafficScript, Int) -> Int
    /// Answers either of them with a pair.
    let bring: @Sendable (inout TrafficScript, Int, Int) -> Void
    /// The headers of a request with the access token of a pair.
    let headers: @Sendable (Int) -> [WireHeader]
    /// A profile's locations of both tokens in an answer.
    let places: (access: String, refresh: String)
}

extension TokenShape {
    private static func token(_ number: Int, lifetime: Double = 300, use: String) -> JSONValue {
        .string(webToken(number, lifetime: lifetime, use: use))
    }

    private static func webToken(_ number: Int, lifetime: Double = 300, use: String) -> String {
        TrafficScript.webToken([
            "sub": "ada", "use": .string(use), "jti": .integer(Int64(number)),
            "exp": .number(1_763_733_600 + Double(number - 1) * 290 + lifetime),
        ])
    }

    private static func bearer(_ token: String) -> [WireHeader] {
        [WireHeader("Authorization", "Bearer \(token)")]
    }

    private static func logIn(_ script: inout TrafficScript, _ path: String) -> Int {
        script.send("POST", path, json: ["username": "ada", "password": "correct"])
    }

    static let all = [
        TokenShape(
            testDescription: "an id token in place of the access token, as Firebase has it",
            logIn: { logIn(&$0, "/v1/accounts:signInWithPassword") },
            askRefresh: { script, number in
                script.send(
                    "POST",
                    "/v1/token",
                    form: "grant_type=refresh_token&refresh_token=\(TrafficScript.refresh(number))"
                )
            },
            bring: { script, exchange, number in
                script.finish(
                    exchange,
                    200,
                    [
                        "idToken": token(number, use: "id"), "expiresIn": "300",
                        "refreshToken": .string(TrafficScript.refresh(number)),
                    ]
                )
            },
            headers: { bearer(webToken($0, use: "id")) },
            places: ("idToken", "refreshToken")
        ),
        TokenShape(
            testDescription: "an id token as the bearer token beside an access token",
            logIn: { logIn(&$0, "/login") },
            askRefresh: { script, number in script.askRefresh(number) },
            bring: { script, exchange, number in
                script.finish(
                    exchange,
                    200,
                    [
                        "AuthenticationResult": [
                            "AccessToken": token(number, use: "access"), "ExpiresIn": 300,
                            "IdToken": token(number, lifetime: 200, use: "id"),
                            "RefreshToken": .string(TrafficScript.refresh(number)),
                        ]
                    ]
                )
            },
            headers: { bearer(webToken($0, lifetime: 200, use: "id")) },
            places: ("AuthenticationResult.IdToken", "AuthenticationResult.RefreshToken")
        ),
        TokenShape(
            testDescription: "both tokens in headers of the answer",
            logIn: { logIn(&$0, "/login") },
            askRefresh: { script, number in
                script.send(
                    "POST",
                    "/auth/token",
                    headers: [WireHeader("Refresh-Token", TrafficScript.refresh(number))]
                )
            },
            bring: { script, exchange, number in
                script.finish(
                    exchange,
                    200,
                    headers: bearer(TrafficScript.access(number))
                        + [WireHeader("Refresh-Token", TrafficScript.refresh(number))]
                )
            },
            headers: { bearer(TrafficScript.access($0)) },
            places: ("header:Authorization", "header:Refresh-Token")
        ),
        TokenShape(
            testDescription: "objects named for the tokens, deep in the answer",
            logIn: { logIn(&$0, "/api/session") },
            askRefresh: { script, number in
                script.send(
                    "POST",
                    "/api/session/renewal",
                    json: ["refresh": ["token": .string(TrafficScript.refresh(number))]]
                )
            },
            bring: { script, exchange, number in
                let tokens: JSONValue = [
                    "access": ["token": .string(TrafficScript.access(number)), "expiresIn": 300],
                    "refresh": [
                        "token": .string(TrafficScript.refresh(number)), "expiresIn": 9000,
                    ],
                ]
                script.finish(exchange, 200, ["result": ["session": ["tokens": tokens]]])
            },
            headers: { bearer(TrafficScript.access($0)) },
            places: ("result.session.tokens.access.token", "result.session.tokens.refresh.token")
        ),
        TokenShape(
            testDescription: "a GraphQL mutation with the name of a token",
            logIn: { script in
                script.send(
                    "POST",
                    "/graphql",
                    json: [
                        "operationName": "LogIn", "query": "mutation LogIn { … }",
                        "variables": ["username": "ada", "password": "correct"],
                    ]
                )
            },
            askRefresh: { script, number in
                script.send(
                    "POST",
                    "/graphql",
                    json: [
                        "operationName": "Renew", "query": "mutation Renew { … }",
                        "variables": ["refreshToken": .string(TrafficScript.refresh(number))],
                    ]
                )
            },
            bring: { script, exchange, number in
                let pair: JSONValue = [
                    "token": .string(TrafficScript.access(number)), "expiresIn": 300,
                    "refreshToken": .string(TrafficScript.refresh(number)),
                ]
                script.finish(exchange, 200, ["data": ["refreshToken": pair]])
            },
            headers: { bearer(TrafficScript.access($0)) },
            places: ("data.refreshToken.token", "data.refreshToken.refreshToken")
        ),
        TokenShape(
            testDescription: "one token that is exchanged for the next",
            logIn: { logIn(&$0, "/login") },
            askRefresh: { script, number in
                script.send("POST", "/auth/refresh", headers: bearer(webToken(number, use: "all")))
            },
            bring: { script, exchange, number in
                script.finish(exchange, 200, ["token": token(number, use: "all")])
            },
            headers: { bearer(webToken($0, use: "all")) },
            places: ("token", "token")
        ),
    ]
}

@Suite("Without a profile, tokens are known by their names and places")
struct TokenShapeTests {
    @Test("the pairs of a session follow one another", arguments: TokenShape.all)
    func life(shape: TokenShape) throws {
        var script = TrafficScript()
        func call(_ number: Int, _ status: Int = 200) {
            let exchange = script.send("GET", "/items", headers: shape.headers(number))
            script.finish(exchange, status, status == 200 ? ["items": []] : ["error": "expired"])
        }
        let login = shape.logIn(&script)
        shape.bring(&script, login, 1)
        call(1)
        for number in 1...3 {
            script.wait(289)
            call(number, 401)
            let refresh = shape.askRefresh(&script, number)
            shape.bring(&script, refresh, number + 1)
            call(number + 1)
        }
        let run = ObservationRun(script)
        let families = run.machine.traffic.graph.families
        #expect(families.count == 1)
        #expect(families[1]?.isJoined == false)
        #expect(families[1]?.generations.map(\.number) == [1, 2, 3, 4])
        #expect(run.findings.isEmpty, "\(run.summary)")
        let snapshot = SessionBook(folding: run.events)[SessionID("1")]
        #expect(snapshot.observed.links.map(\.kind) == [.login, .refresh, .refresh, .refresh])
    }

    @Test("a profile that is learned has their places", arguments: TokenShape.all)
    func profile(shape: TokenShape) throws {
        var script = TrafficScript()
        let login = shape.logIn(&script)
        shape.bring(&script, login, 1)
        let call = script.send("GET", "/items", headers: shape.headers(1))
        script.finish(call, 200, ["items": []])
        script.wait(150)
        let refresh = shape.askRefresh(&script, 1)
        shape.bring(&script, refresh, 2)
        let traffic = ObservationRun(script).machine.traffic
        let text = try #require(LearnedProfile(of: traffic)).text.replacing(/base_url.*/, with: "")
        let lines = text.split(separator: "\n")
        #expect(lines.contains("rotation = \"always\""), "\(text)")
        guard !text.contains("extends") else { return }
        #expect(lines.contains("access = \"\(shape.places.access)\""), "\(text)")
        #expect(lines.contains("refresh = \"\(shape.places.refresh)\""), "\(text)")
        _ = try Dialect(toml: "name = \"learned\"\n" + text, file: "learned.toml")
    }

    @Test(
        "two refreshes at once are a race, whichever is answered first",
        arguments: TokenShape.all,
        [true, false]
    )
    func race(shape: TokenShape, isWinnerAnsweredFirst: Bool) throws {
        var script = TrafficScript()
        let login = shape.logIn(&script)
        shape.bring(&script, login, 1)
        script.wait(290)
        let first = shape.askRefresh(&script, 1)
        script.connection = 2
        script.wait(0.005)
        let second = shape.askRefresh(&script, 1)
        if isWinnerAnsweredFirst { shape.bring(&script, first, 2) }
        script.finish(second, 401, ["error": "spent"])
        if !isWinnerAnsweredFirst { shape.bring(&script, first, 2) }
        let run = ObservationRun(script)
        let race = try #require(run.findings.first { $0.rule == "race" }, "\(run.summary)")
        #expect(race.exchanges == [first, second])
        #expect(race.severity == .bug && race.confidence == .certain)
    }

    @Test("a header whose value changes with every answer is no refresh")
    func rollingHeader() throws {
        var script = TrafficScript()
        let login = script.send(
            "POST",
            "/sign_in",
            json: ["email": "a@b.c", "password": "correct"]
        )
        script.finish(login, 200, headers: [WireHeader("access-token", TrafficScript.access(1))])
        for number in 1...6 {
            script.wait(1)
            let exchange = script.send(
                "GET",
                "/items",
                headers: [WireHeader("access-token", TrafficScript.access(number))]
            )
            script.finish(
                exchange,
                200,
                headers: [WireHeader("Access-Token", TrafficScript.access(number + 1))]
            )
        }
        let run = ObservationRun(script)
        let families = run.machine.traffic.graph.families
        #expect(families.count == 1)
        #expect(families[1]?.isRolling == true)
        #expect(families[1]?.generations.count == 1)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test(
        "what is brought beside a token that goes on is no refresh",
        arguments: [
            ("/feed/refresh", ["cursor": "next-page-of-the-feed-1234"]),
            (
                "/devices/push/refresh",
                ["token": .string(TrafficScript.webToken(["sub": "device"]))]
            ),
            ("/realtime/token", ["token": .string(TrafficScript.webToken(["sub": "ada"]))]),
            ("/realtime/refresh", ["token": .string(TrafficScript.webToken(["sub": "ada"]))]),
        ] as [(String, JSONValue)]
    )
    func other(path: String, answer: JSONValue) throws {
        let token = TrafficScript.webToken(["sub": "ada", "exp": 1_763_737_200])
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["email": "a@b.c", "password": "correct"])
        script.finish(login, 200, ["access_token": .string(token)])
        for _ in 1...3 {
            script.wait(10)
            let exchange = script.send("POST", path, bearer: token)
            script.finish(exchange, 200, answer)
            let call = script.send("GET", "/items", bearer: token)
            script.finish(call, 200, ["items": []])
        }
        let run = ObservationRun(script)
        #expect(run.machine.traffic.graph.families[1]?.generations.count == 1)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test(
        "a token that names no subject is renewed for certain by one that says the same",
        arguments: [("ada", TokenLink.Confidence.certain), ("bob", .likely)]
    )
    func withoutSubject(user: String, confidence: TokenLink.Confidence) throws {
        func claims(_ user: String, _ end: Double) -> JSONValue {
            .object(["id": .string(user), "type": "auth", "exp": .number(end)])
        }
        let (first, second) = (claims("ada", 1_763_737_200), claims(user, 1_763_740_800))
        var script = TrafficScript()
        script.logIn(refresh: false, claims: first)
        script.wait(10)
        let token = TrafficScript.webToken(first)
        let renewal = script.send("POST", "/users/auth-refresh", bearer: token)
        script.finish(renewal, 200, ["token": .string(TrafficScript.webToken(second))])
        let run = ObservationRun(script)
        #expect(run.machine.traffic.exchange(renewal)?.confidence == confidence)
    }

    @Test("an opaque token from such a path is no access token unless its name says so")
    func opaque() throws {
        var script = TrafficScript()
        script.logIn(refresh: false)
        for number in 1...3 {
            script.wait(10)
            let exchange = script.send(
                "POST",
                "/devices/push/refresh",
                bearer: TrafficScript.access(1)
            )
            script.finish(exchange, 200, ["token": .string("push-token-of-the-device-\(number)")])
            script.call(1)
        }
        let run = ObservationRun(script)
        #expect(run.machine.traffic.graph.families[1]?.generations.count == 1)
        #expect(run.findings.isEmpty, "\(run.summary)")
    }

    @Test(
        "are read beside a name with half of a surrogate pair, or with a byte that is no UTF-8",
        arguments: [Array(#"\ud83d"#.utf8), [0xFF], [0xED, 0xA0, 0xBD]] as [[UInt8]]
    )
    func brokenName(name: [UInt8]) {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct"])
        script.wait(TrafficScript.roundTrip)
        let type = WireHeader("Content-Type", "application/json")
        let pair = TrafficScript.pair(1).serialized.dropFirst()
        let body = Array("{\"name\":\"ada ".utf8) + name + Array("\",\(pair)".utf8)
        script.answer(login, 200, headers: [type], body: body)
        script.deliver(login)
        script.wait(290)
        script.renew(1)
        let families = ObservationRun(script).machine.traffic.graph.families
        #expect(families.count == 1)
        #expect(families[1]?.newest == 2)
    }
}
