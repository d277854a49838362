import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Observer

@Suite("The reader of traffic")
struct TrafficReaderTests {
    private static func request(
        _ method: String = "GET",
        _ target: String = "/items",
        headers: [WireHeader] = [],
        json: JSONValue? = nil,
        form: String? = nil
    ) throws -> RequestFacts {
        var script = TrafficScript()
        _ = script.send(method, target, headers: headers, json: json, form: form)
        let run = ObservationRun(script)
        guard case .requested(let facts)? = run.inputs.first?.input.kind else {
            throw Missing()
        }
        return facts
    }

    /// The stored parts of the bodies of an exchange without tokens in its body.
    private static func bodies(
        _ body: String,
        type: String,
        answer: String = "{\"saved\":true}",
        keepsEveryBody: Bool = true
    ) -> (request: BodyExcerpt?, answer: ResponseEvidence?) {
        var reader = TrafficReader(
            fingerprinter: ObservationRun.fingerprinter,
            keepsEveryBody: keepsEveryBody
        )
        let moment = TrafficScript.moment(0)
        let head = WireRequest(
            method: "POST",
            origin: "https://api.example.com",
            target: "/notes",
            headers: [
                WireHeader("Content-Type", type), WireHeader("Authorization", "Bearer \(token)"),
            ]
        )
        let answerHead = WireResponse(
            status: 200,
            headers: [WireHeader("Content-Type", type)]
        )
        let kinds: [TrafficInput.Kind] = [
            .requestHead(head, connection: 1, peer: "127.0.0.1"), .requestBody(Array(body.utf8)),
            .requestEnd(bytes: body.utf8.count), .responseHead(answerHead),
            .responseBody(Array(answer.utf8)), .responseEnd(bytes: answer.utf8.count),
        ]
        var bodies: (request: BodyExcerpt?, answer: ResponseEvidence?)
        for kind in kinds {
            for input in reader.read(TrafficInput(exchange: 1, kind: kind), at: moment) {
                switch input.kind {
                case .requested(let facts): bodies.request = facts.excerpt
                case .answered(let facts): bodies.answer = facts.evidence
                default: break
                }
            }
        }
        return bodies
    }

    @Test("takes the unit of a token's life from the profile, whatever its key suggests")
    func profileUnit() throws {
        let text = """
            extends = "oauth2"
            client_auth = "public"
            login.request = "POST /oauth/token"
            login.response.access_expires = "milliseconds:expires_in"
            """
        let source = ProfileSource(name: "mine", text: text, file: "mine.toml")
        let dialect = try Profile(source, known: ["oauth2"]) { ProfileSource.builtIn($0) }.dialect
        var script = TrafficScript()
        let login = script.send(
            "POST",
            "/oauth/token",
            form: "grant_type=password&client_id=a&username=b&password=hunter2hunter2"
        )
        let body = "{\"access_token\": \"\(Self.token)\", \"expires_in\": 90000}"
        script.answer(login, 200, JSONValue(parsing: Array(body.utf8)))
        let run = ObservationRun(script, dialect: dialect)
        let lives = run.inputs.compactMap { input -> Double? in
            guard case .answered(let facts) = input.input.kind else { return nil }
            return facts.issued.first { $0.role == .access }?.expiry?.seconds
        }
        #expect(lives.first.map { (89.0...90).contains($0) } == true, "\(lives)")
    }

    @Test("takes in the tokens of an app, of whatever type they are by its backend")
    func tokenTypes() throws {
        let dialect = try #require(Dialect.builtIn(named: "oauth2"))
        let grants = [
            "password&username=b&password=hunter2hunter2", "refresh_token&refresh_token=r-1",
        ]
        for grant in grants {
            var script = TrafficScript()
            let request = script.send("POST", "/token", form: "client_id=a&grant_type=\(grant)")
            let body =
                #"{"access_token": "\#(Self.token)", "token_type": "mac", "refresh_token": "r-2"}"#
            script.answer(request, 200, JSONValue(parsing: Array(body.utf8)))
            let roles = ObservationRun(script, dialect: dialect).inputs.flatMap {
                input -> [TokenRole] in
                guard case .answered(let facts) = input.input.kind else { return [] }
                return facts.issued.map(\.role)
            }
            #expect(Set(roles) == [.access, .refresh], "\(grant)")
        }
    }

    @Test("keeps every body if that is asked for, with marks in place of its secrets")
    func everyBody() throws {
        let body =
            "{\"note\":\"milk\",\"card_secret\":\"hunter2!\",\"sent_with\":\"\(Self.token)\"}"
        let kept = Self.bodies(
            body,
            type: "application/json; charset=utf-8",
            answer: body.replacing("milk", with: "bread")
        )
        let request = try #require(kept.request)
        let answer = try #require(kept.answer)
        #expect(request.type == "application/json")
        #expect(request.text.contains("\"note\":\"milk\""))
        #expect(answer.body.contains("\"note\":\"bread\""))
        for text in [request.text, answer.body] {
            #expect(!text.contains("hunter2!") && !text.contains(Self.token))
        }
        let none = Self.bodies(body, type: "application/json", keepsEveryBody: false)
        #expect(none.answer == nil)
        #expect(none.request == nil)
    }

    @Test("keeps no parts of a token that an app or a server has cut into several texts")
    func partsOfTokens() throws {
        let (left, right) = (Self.token.prefix(12), Self.token.dropFirst(10))
        let body = "{\"note\":\"milk\",\"a\":[\"\(left)\"],\"b\":\"\(right)\"}"
        let type = "application/json"
        let request = try #require(Self.bodies(body, type: type).request)
        let answer = try #require(Self.bodies("{}", type: type, answer: body).answer)
        for text in [request.text, answer.body] {
            #expect(text == #"{"note":"milk","a":["‹hidden›"],"b":"‹hidden›"}"#)
        }
    }

    @Test(
        "keeps no body that may be a file, whose secrets have no known notation, or that is none",
        arguments: [
            "image/png", "multipart/form-data; boundary=x", "application/octet-stream",
            "application/x-www-form-urlencoded", "text/xml",
        ]
    )
    func file(type: String) throws {
        let kept = Self.bodies("milk", type: type, answer: "milk")
        #expect(kept.request == nil)
        #expect(try #require(kept.answer).body.isEmpty)
        #expect(Self.bodies("", type: "text/plain").request == nil)
    }

    @Test("keeps the beginning of a long body, and says that it is one")
    func longBody() throws {
        let text = String(repeating: "milk ", count: 4_000)
        let request = try #require(Self.bodies(text, type: "text/plain").request)
        #expect(request.isCut)
        #expect(request.text.count <= BodyExcerpt.limit)
    }

    private struct Missing: Error {}

    private static let token = "a-token-of-an-app-1234"
    private static let fingerprint = ObservationRun.fingerprinter.fingerprint(of: Secret(token))

    @Test(
        "finds a token in every place where apps put it",
        arguments: [
            (WireHeader("authorization", "bearer \(token)"), FoundToken.Place.authorization),
            (WireHeader("Authorization", "DPoP \(token)"), .authorization),
            (WireHeader("X-Auth-Token", token), .header),
            (WireHeader("Cookie", "theme=dark; session_id=\(token)"), .cookie),
            (WireHeader("Cookie", "__Host-auth=\(token)"), .cookie),
            (WireHeader("Sec-WebSocket-Protocol", "chat, bearer.\(token)"), .subprotocol),
            (WireHeader("Sec-WebSocket-Protocol", "access_token, \(token)"), .subprotocol),
        ]
    )
    func headers(header: WireHeader, place: FoundToken.Place) throws {
        let facts = try Self.request(headers: [header])
        let found = facts.occurrences.filter { $0.role != .unknown }
        #expect(found.map(\.fingerprint) == [Self.fingerprint])
        #expect(found.map(\.place) == [place])
        #expect(found.map(\.role).allSatisfy { $0 == .access || $0 == .session })
    }

    @Test(
        "finds a token in a query and shows its fingerprint there, and nothing of other secrets",
        arguments: ["access_token", "token", "JWT", "auth"]
    )
    func query(name: String) throws {
        let facts = try Self.request("GET", "/ws?since=7&\(name)=\(Self.token)&password=hunter2")
        #expect(facts.occurrences.contains { $0.place == .query && $0.role == .access })
        #expect(facts.target == "/ws?since=7&\(name)=\(Self.fingerprint)&password=…")
    }

    @Test("tells the purpose of a request that says it itself")
    func purposes() throws {
        let grant = "grant_type=refresh_token&refresh_token=\(Self.token)"
        let refresh = try Self.request("POST", "/token", form: grant)
        #expect(refresh.purpose == .refresh)
        #expect(refresh.discriminator == "refresh_token")
        #expect(refresh.occurrences.map(\.role) == [.refresh])
        #expect(try Self.request("POST", "/auth/log-out").purpose == .logout)
        #expect(try Self.request("GET", "/logout-help").purpose == nil)
        let upgrade = [WireHeader("Upgrade", "WebSocket")]
        #expect(try Self.request(headers: upgrade).purpose == .socket)
        let stream = [WireHeader("Accept", "text/event-stream")]
        #expect(try Self.request(headers: stream).purpose == .stream)
        let preflight = [WireHeader("Access-Control-Request-Method", "POST")]
        #expect(try Self.request("OPTIONS", headers: preflight).purpose == .preflight)
        let login = try Self.request("POST", "/login", json: ["user": "a", "password": "b"])
        #expect(login.hasCredentials)
    }

    @Test(
        "names one path for many things",
        arguments: [
            ("/users/17/posts/3", "/users/:id/posts/:id"),
            ("/files/1b4e28ba-2fa1-11d2-883f-0016d3cca427", "/files/:id"),
            ("/v2/items?page=7", "/v2/items"), ("/reset/aZ09aZ09aZ09aZ09aZ09x", "/reset/:id"),
        ]
    )
    func templates(target: String, template: String) throws {
        #expect(try Self.request("GET", target).template == template)
    }

    @Test("does not take for a token what is none: constant keys, tokens against forgery")
    func noTokens() throws {
        let headers = [
            WireHeader("apikey", Self.token), WireHeader("Authorization", "Basic YTpi"),
            WireHeader("Cookie", "XSRF-TOKEN=\(Self.token); csrf_session=\(Self.token)"),
        ]
        let facts = try Self.request(headers: headers)
        #expect(facts.occurrences.allSatisfy { $0.role == .unknown })
    }

    @Test(
        "shows a word of git's protocol, and no text that may be a token in its place",
        arguments: [
            ("git-upload-pack", true), ("git-receive-pack", true), ("git-receive-packs", false),
            ("q7Zx81kq0PlmAb3d", false),
        ]
    )
    func service(text: String, isWord: Bool) throws {
        let facts = try Self.request("GET", "/a.git/info/refs?service=\(text)")
        #expect(facts.target.contains(text) == isWord, "\(facts.target)")
        #expect(facts.occurrences.isEmpty == isWord)
    }

    @Test("passes on nothing of a secret, wherever an exchange has it")
    func secrets() throws {
        var script = TrafficScript()
        let secret = "S3cr3t-token-0f-the-app-AbCdEf"
        let exchange = script.send(
            "POST",
            "/a/\(secret)?token=\(secret)&code=\(secret)&x=\(secret)",
            bearer: secret,
            headers: [
                WireHeader("Cookie", "sid=\(secret); other=\(secret)"),
                WireHeader("X-Session-Token", secret),
            ],
            json: ["refresh_token": .string(secret), "password": .string(secret)]
        )
        script.finish(
            exchange,
            401,
            ["error": .string(secret), "access_token": .string(secret), "detail": .string(secret)],
            headers: [
                WireHeader("Set-Cookie", "sid=\(secret); Path=/"),
                WireHeader("WWW-Authenticate", "Bearer error=\"\(secret)\""),
            ]
        )
        script.logIn()
        let run = ObservationRun(script)
        let inputs = try run.inputs.map {
            String(decoding: try JSONEncoder().encode($0.input), as: UTF8.self)
        }
        let events = try run.events.map {
            String(decoding: try JSONEncoder().encode($0), as: UTF8.self)
        }
        #expect(inputs.count > 4 && events.count > 4)
        for line in inputs + events {
            #expect(!line.contains(secret), "\(line)")
            #expect(!line.contains("correct"), "\(line)")
            #expect(!line.contains(TrafficScript.access(1)), "\(line)")
        }
    }

    /// Tokens that look like none.
    static let plainTokens = [
        "6f18f21e-a743-4509-b7fd-454349e422f0", "CJSPfqfKhICAQEYsUgDIIGOBiiletters", "lettersonly",
        "tok 12/3%é", "48291375",
    ]

    @Test(
        "shows the fingerprint of a known token in a path or a query, however it looks",
        arguments: plainTokens
    )
    func known(token: String) throws {
        let fingerprint = ObservationRun.fingerprinter.fingerprint(of: Secret(token))
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct horse"])
        script.finish(login, 200, ["access_token": .string(token), "expires_in": 900])
        let written = FormEncoding.encode([(name: "", value: token)]).dropFirst()
        let targets = [
            "/tokens/\(written)", "/a/\(written)/b?x=1", "/a;v=\(written)/b", "/a?\(written)",
            "/a?b=1&\(written)=2", "/a?name=\(written)",
        ]
        for target in targets {
            let exchange = script.send("GET", target)
            script.finish(exchange, 200, ["ok": true])
        }
        let run = ObservationRun(script)
        let shown = run.inputs.compactMap { input in
            if case .requested(let facts) = input.input.kind { facts } else { nil }
        }
        .dropFirst()
        #expect(shown.count == targets.count)
        for facts in shown {
            #expect(facts.target.contains(fingerprint.description), "\(facts.target)")
            #expect(!facts.target.contains(written), "\(facts.target)")
            #expect(!facts.template.contains(written), "\(facts.template)")
        }
        let isOneWord = token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        #expect(run.findings.map(\.rule).contains("token-in-url") == isOneWord)
        let archive = HARDocument.json(of: run.machine.traffic, run.findings, version: "1")
        #expect(archive.serialized.contains("/tokens/authtop:\(fingerprint.digits)"))
    }

    @Test(
        "names the app's trace that a request belongs to, if it names one",
        arguments: [
            ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true),
            ("00-00000000000000000000000000000000-b7ad6b7169203331-01", false), ("0af7", false),
        ]
    )
    func trace(value: String, isTrace: Bool) throws {
        let request = try Self.request(headers: [WireHeader("TraceParent", value)])
        #expect(request.trace?.trace == (isTrace ? "0af7651916cd43dd8448eb211c80319c" : nil))
    }

    @Test("a trace whose id is a token is not named")
    func secretTrace() throws {
        let token = "0af7651916cd43dd8448eb211c80319c"
        let request = try Self.request(
            headers: [
                WireHeader("Authorization", "Bearer \(token)"),
                WireHeader("traceparent", "00-\(token)-b7ad6b7169203331-01"),
            ]
        )
        #expect(request.trace == nil)
    }

    @Test("shows no secret in what a client says of itself")
    func client() throws {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct horse"])
        script.finish(login, 200, ["access_token": "a1B2c3D4e5F6", "expires_in": 900])
        let headers = [
            WireHeader("User-Agent", "app/1.0 token=h3vxYbr (a1B2c3D4e5F6)"),
            WireHeader("X-Authtop-Mark", "login with a1B2c3D4e5F6"),
        ]
        script.finish(script.send("GET", "/me", headers: headers), 200, ["ok": true])
        let run = ObservationRun(script)
        let archive = HARDocument.json(of: run.machine.traffic, run.findings, version: "1")
        for secret in ["h3vxYbr", "a1B2c3D4e5F6"] {
            #expect(!archive.serialized.contains(secret))
            #expect(
                try run.inputs.allSatisfy {
                    !String(decoding: try JSONEncoder().encode($0.input), as: UTF8.self)
                        .contains(secret)
                }
            )
        }
        #expect(archive.serialized.contains("app/1.0"))
    }

    @Test(
        "shows no short secret of an earlier exchange in a path or a query, and every word",
        arguments: [
            ("/me?ref=qNM6", "/me?ref=…"), ("/a/qNM6/b", "/a/…/b"),
            ("/me?ref=qNM7", "/me?ref=qNM7"), ("/milk?ref=milk", "/milk?ref=milk"),
        ]
    )
    func short(target: String, shown: String) throws {
        var script = TrafficScript()
        let login = script.send("POST", "/login", json: ["password": "correct horse"])
        script.finish(
            login,
            200,
            ["access_token": "a1B2c3D4e5F6", "refresh_token": "qNM6", "sid": "milk"]
        )
        script.finish(script.send("GET", target), 200, ["ok": true])
        let requests = ObservationRun(script).inputs.compactMap { input in
            if case .requested(let facts) = input.input.kind { facts.target } else { nil }
        }
        #expect(requests.last == shown)
    }

    @Test(
        "shows no code or token of an address, and every word of one",
        arguments: [
            ("/verify/482913", "/verify/…"), ("/reset-password/aB3dE", "/reset-password/…"),
            ("/magic-link/x1y2z3/done", "/magic-link/…/done"), ("/invite/ABCDEF", "/invite/…"),
            ("/invite/token/qxzsnzzrsvps", "/invite/token/…"),
            ("/reset/0f8fad5b-d9cb-469f-a165-70867728950e", "/reset/…"),
            ("/verify-email/abcdefghij", "/verify-email/…"), ("/magic/qwertyuiop", "/magic/…"),
            ("/unsubscribe/zxcvbnmasd", "/unsubscribe/…"), ("/join/lkjhgfdsa", "/join/…"),
            ("/activate/MQ/c5x-a1b2c3d4/", "/activate/…/…/"),
            ("/reset/MTIz/abcdef-ghijkl/confirm", "/reset/…/…/confirm"),
            ("/verify/identity", "/verify/identity"),
            ("/invitations/pending", "/invitations/pending"),
            ("/forgot-password/requests", "/forgot-password/requests"),
            ("/items/abcdefghij", "/items/abcdefghij"),
            (
                "/items/0f8fad5b-d9cb-469f-a165-70867728950e",
                "/items/0f8fad5b-d9cb-469f-a165-70867728950e"
            ),
            ("/auth/token/introspect", "/auth/token/introspect"),
            ("/session/2PThdCYf2/renew", "/session/…/renew"), ("/a?sig=ErkP", "/a?sig=…"),
            ("/auth/token/refresh", "/auth/token/refresh"),
            ("/reset-password/instructions", "/reset-password/instructions"),
            ("/token/v2/verify", "/token/v2/verify"),
            ("/Account/Verify/Email", "/Account/Verify/Email"), ("/me?sid=a1", "/me?sid=…"),
            ("/me?otp=482913&page=2", "/me?otp=…&page=2"),
            ("/me?sessionKey=abc", "/me?sessionKey=…"),
            ("/me?x8f2k1q9", "/me?…"), ("/me?x8f2k1q9=", "/me?…="), ("/me?full", "/me?full"),
            ("/me;jsessionid=A1B2", "/me;jsessionid=…"), ("/me#access_token=abc12", "/me"),
            ("/me?a=1\u{301}&token\u{301}=x", "/me?a=1\u{301}&token\u{301}=…"),
        ]
    )
    func codes(target: String, shown: String) throws {
        let facts = try Self.request("GET", target)
        #expect(facts.target == shown)
        #expect(!facts.template.contains("482913") && !facts.template.contains("ABCDEF"))
    }

    @Test(
        "keeps no secret of a body, be it short, nested, a number, or in text that is no JSON",
        arguments: [
            ("application/json", #"{"token":{"value":"SECRET","type":"bearer","expires_in":900}}"#),
            ("application/json", #"{"tokens":["SECRET",{"value":"SECRET"}],"note":"milk"}"#),
            ("application/json", #"{"data":{"sessionKey":"SECRET","sid":"SECRET"}}"#),
            ("application/json", #"{"t\u006fken":"SECRET"}"#),
            ("application/json", #"{"tokens":{"SECRET":1}}"#),
            ("application/json", #"{"log":"GET /cb?code=SECRET&x=1 token=SECRET"}"#),
            ("application/json", #"{"inner":"{\"refresh_token\":\"SECRET\"}"}"#),
            ("application/json", #"{"query":"mutation { login(password: \"SECRET\") { id } }"}"#),
            ("application/json", #"{"token":"SECRET","#), ("application/json", "SECRET"),
            ("application/json", #"{token: 'SECRET', note: 'milk'}"#),
            ("text/plain", "access_token=SECRET&token_type=bearer"), ("text/plain", "SECRET\n"),
            ("text/plain", "token: SECRET"), ("text/plain", "<token>SECRET</token>"),
            ("text/plain", "Authorization: Bearer SECRET"), ("text/plain", "here it is: SECRET"),
            ("application/json", "\"SECRET\""),
            ("application/json", #"{"url":"https://ann:SECRET@api.example.com/"}"#),
            ("application/json", #"{"url":"https:\/\/ann:SECRET@api.example.com\/"}"#),
            ("application/json", #"{"headers":[{"name":"X-Api-Key","value":"SECRET"}]}"#),
            ("application/json", #"{"message":"invalid token (SECRET)"}"#),
        ]
    )
    func shortSecrets(type: String, body: String) throws {
        for secret in ["s3cr3t", "x9Kq2-ab", "Ab12Cd34Ef56Gh78"] {
            let text = body.replacing("SECRET", with: secret)
            let kept = Self.bodies(text, type: type, answer: text)
            for shown in [kept.request?.text, kept.answer?.body].compactMap(\.self) {
                #expect(!shown.contains(secret), "\(shown)")
            }
            #expect(kept.answer?.body.isEmpty == false)
        }
        let number = body.replacing("\"SECRET\"", with: "482913")
            .replacing("sid", with: "otp").replacing("sessionKey", with: "verification_code")
        if number.contains("otp") {
            let shown = Self.bodies(number, type: type, answer: number).answer?.body
            #expect(shown?.contains("4829") == false)
        }
    }

    @Test("keeps what is no secret beside one")
    func plainNeighbors() throws {
        func body(_ value: String) -> String {
            """
            {"token":{"value":"\(value)","type":"bearer","expires_in":900},"total_tokens":1500}
            """
        }
        let sent = body("s3cr3t")
        let kept = Self.bodies(sent, type: "application/json", answer: sent)
        let fingerprint = ObservationRun.fingerprinter.fingerprint(of: Secret("s3cr3t"))
        #expect(kept.answer?.body == body(fingerprint.description))
    }

    @Test(
        "keeps an address without a password, and a pair whose name is no secret's",
        arguments: [
            #"{"url":"https://api.example.com/a@b?c=d@e","mail":"ann@example.com"}"#,
            #"{"fields":[{"name":"color","value":"blue12"},{"key":"size","value":"x9Kq2-ab"}]}"#,
            #"{"message":"the token (of ann) has ended"}"#,
        ]
    )
    func plainAddresses(body: String) throws {
        let kept = Self.bodies("{}", type: "application/json", answer: body)
        #expect(kept.answer?.body == body)
    }

    @Test("stops at the limit of a body, and forgets an exchange that is over")
    func bounded() throws {
        var script = TrafficScript()
        let exchange = script.send("POST", "/upload")
        script.answer(exchange, 200)
        script.deliver(exchange)
        let run = ObservationRun(script)
        let kinds = run.inputs.map(\.input.kind)
        #expect(kinds.count == 3)
        guard case .requested = kinds[0], case .answered = kinds[1], case .delivered = kinds[2]
        else {
            Issue.record("\(kinds)")
            return
        }
    }

    @Test(
        "gRPC's UNAUTHENTICATED refuses a token in trailers and without a body; other statuses do not",
        arguments: [(0, false, true), (7, false, false), (14, false, false), (16, true, false)],
        [true, false]
    )
    func grpc(expected: (status: Int, refuses: Bool, succeeds: Bool), hasBody: Bool) throws {
        var reader = TrafficReader(fingerprinter: ObservationRun.fingerprinter)
        let token = "kR3vQ9xT7mZ2pL5wB8nD"
        let moment = Moment(now: .origin, wall: Date(timeIntervalSince1970: 1_700_000_000))
        let head = WireRequest(
            method: "POST",
            origin: "https://api.example.com",
            target: "/notes.Notes/List",
            headers: [WireHeader("authorization", "Bearer \(token)")]
        )
        let status = [
            WireHeader("grpc-status", "\(expected.status)"),
            WireHeader("grpc-message", "token%20\(token) ended"),
        ]
        let type = [WireHeader("content-type", "application/grpc")]
        let answer: [TrafficInput.Kind] =
            hasBody
            ? [
                .responseHead(WireResponse(status: 200, headers: type)),
                .responseBody([0, 0, 0, 0, 0]), .responseTrailers(status), .responseEnd(bytes: 5),
            ]
            : [
                .responseHead(WireResponse(status: 200, headers: type + status)),
                .responseEnd(bytes: 0),
            ]
        var facts: AnswerFacts?
        let request = [
            TrafficInput.Kind.requestHead(head, connection: 1, peer: ""), .requestEnd(bytes: 0),
        ]
        for kind in request + answer {
            for input in reader.read(TrafficInput(exchange: 1, kind: kind), at: moment) {
                if case .answered(let found) = input.kind { facts = found }
            }
        }
        let answered = try #require(facts)
        #expect(answered.refused.contains(.access) == expected.refuses)
        #expect(answered.isSuccess == expected.succeeds)
        #expect(answered.forbidsStoring)
        #expect(answered.errorCode == (expected.refuses ? "UNAUTHENTICATED" : answered.errorCode))
        #expect(answered.serverWords?.contains(token) != true)
        if expected.refuses { #expect(answered.serverWords?.contains("ended") == true) }
    }
}
