import Basics
import Testing

@testable import Profiles

@Suite("Captured values")
struct CaptureTests {
    static let profile = """
        name = "page"
        [capture]
        csrf = "cookie:csrftoken"
        device = "json:device.id"
        state = "header:X-State"
        [login]
        request = "POST /login"
        [login.response]
        access = "access"
        refresh = "cookie:refresh"
        [refresh]
        request = "POST /refresh"
        token_in = "cookie:refresh"
        headers = { X-CSRFToken = "{csrf}", Cookie = "csrftoken={csrf}; lang=en", X-State = "{state}" }
        fields = { device = "{device}" }
        [refresh.response]
        access = "access"
        refresh = "cookie:refresh"
        [[refresh.terminal]]
        status = 401
        [logout.this]
        request = "POST /logout"
        access_in = "bearer"
        headers = { X-CSRFToken = "{csrf}" }
        [protected]
        request = "GET /me"
        headers = { X-Device = "id {device}" }
        """

    private let dialect: Dialect

    init() throws {
        dialect = try Dialect(toml: Self.profile, file: "page.toml")
    }

    @Test("the feed sends them in its upgrade, and is not dialed without them")
    func feed() throws {
        let feed = """

            [feed]
            path = "/feed"
            token_in = "cookie:access"
            headers = { X-CSRFToken = "{csrf}", Cookie = "csrftoken={csrf}" }
            """
        let dialect = try Dialect(toml: Self.profile + feed, file: "page.toml")
        let token = AccessToken(Secret("a1"))
        let captured = CapturedValues(["csrf": Secret("a%3D1")])
        let request = try #require(dialect.feedRequest(token, since: nil, captured: captured))
        #expect(
            request.headers == [
                WireHeader("Cookie", "access=a1; csrftoken=a%3D1"),
                WireHeader("X-CSRFToken", "a=1"),
            ]
        )
        #expect(request.problem == nil)
        let without = try #require(dialect.feedRequest(token, since: nil))
        #expect(
            without.problem
                == .missingCapture(CaptureReference(name: "csrf", source: "cookie:csrftoken"))
        )
    }

    @Test("only the request that is repeated after a rejection sends those of retry_headers")
    func retryHeaders() throws {
        let text = Self.profile + "\nretry_headers = { X-CSRFToken = \"{csrf}\" }"
        let dialect = try Dialect(toml: text, file: "page.toml")
        let captured = CapturedValues(["csrf": Secret("a%3D1"), "device": Secret("4711")])
        for (isRetry, value) in [(false, nil), (true, "a=1")] {
            let request = dialect.protectedRequest(
                AccessToken(Secret("a1")),
                captured: captured,
                isRetry: isRetry
            )
            #expect(request.header("X-CSRFToken") == value)
            #expect(request.header("X-Device") == "id 4711")
        }
        let device = CapturedValues(["device": Secret("4711")])
        let token = AccessToken(Secret("a1"))
        #expect(dialect.protectedRequest(token, captured: device).problem == nil)
        #expect(dialect.protectedRequest(token, captured: device, isRetry: true).problem != nil)
    }

    private static func answer(_ headers: [WireHeader], _ body: String) -> WireResponse {
        WireResponse(status: 200, headers: headers, body: Array(body.utf8))
    }

    private static let login = answer(
        [
            WireHeader("Set-Cookie", "csrftoken=a%3D1; Path=/"),
            WireHeader("Set-Cookie", "refresh=r1; HttpOnly"), WireHeader("X-State", "s1"),
        ],
        #"{"access": "a1", "device": {"id": 4711}}"#
    )

    @Test("are read from a login and a refresh, and are among the secrets of the answer")
    func read() throws {
        let tokens = try #require(dialect.readLogin(Self.login).tokens)
        let values = ["csrf": "a%3D1", "device": "4711", "state": "s1"].mapValues { Secret($0) }
        #expect(tokens.captured.values == values)
        #expect(dialect.readRefresh(Self.login).tokens?.captured.values == values)
        // A server may repeat a cookie as it was set, or as a script reads it.
        for text in ["a%3D1", "a=1", "4711", "s1"] {
            #expect(tokens.secrets.contains(Secret(text)))
            #expect(dialect.tokens(in: Self.login).contains(Secret(text)))
        }
    }

    @Test("are sent again in headers, cookies and fields, with one Cookie header")
    func sent() throws {
        let captured = CapturedValues(
            try #require(dialect.readLogin(Self.login).tokens).captured.values
        )
        let request = dialect.refreshRequest(RefreshToken(Secret("r1")), captured: captured)
        #expect(request.problem == nil)
        let cookies = request.headers.filter { $0.name == "Cookie" }.map(\.value)
        #expect(cookies == ["refresh=r1; csrftoken=a%3D1; lang=en"])
        #expect(request.header("X-CSRFToken") == "a=1")
        #expect(request.header("X-State") == "s1")
        #expect(JSONValue(parsing: request.body) == .object(["device": .string("4711")]))
        let access = AccessToken(Secret("a1"))
        let protected = dialect.protectedRequest(access, captured: captured)
        #expect(protected.header("X-Device") == "id 4711")
        let custom = try CustomRequest(method: "POST", target: "/x")
        #expect(
            try dialect.request(custom, token: access, captured: captured).header("X-Device")
                == "id 4711"
        )
    }

    @Test("one that is missing keeps the request from being sent, and is named with its source")
    func missing() throws {
        let csrf = CaptureReference(name: "csrf", source: "cookie:csrftoken")
        let request = dialect.refreshRequest(RefreshToken(Secret("r1")))
        #expect(request.problem == .missingCapture(csrf))
        let logout = dialect.logoutRequest(
            .this,
            refresh: nil,
            access: AccessToken(Secret("a1")),
            captured: CapturedValues(["device": Secret("1")])
        )
        #expect(logout?.problem == .missingCapture(csrf))
        let device = CaptureReference(name: "device", source: "json:device.id")
        let protected = dialect.protectedRequest(AccessToken(Secret("a1")))
        #expect(protected.problem == .missingCapture(device))
    }

    @Test(
        "one in a path stays within its segment, and is not shown",
        arguments: [
            ("ada", "/users/ada/tokens/t1"), ("a/../b?c#d", "/users/a%2F..%2Fb%3Fc%23d/tokens/t1"),
            ("ä é", "/users/%C3%A4%20%C3%A9/tokens/t1"), ("..x", "/users/..x/tokens/t1"),
            ("%2e%2e", "/users/%252e%252e/tokens/t1"),
        ]
    )
    func inPath(name: String, target: String) throws {
        let request = try pathRequest(name)
        #expect(request.problem == nil)
        #expect(request.target == target)
        #expect(request.description == "DELETE /users/{name}/tokens/{token}")
        let shown = request.shownTarget(naming: Fingerprinter(salt: [1]))
        #expect(shown == "/users/{name}/tokens/{token}")
        #expect(!String(reflecting: request).contains("t1"))
    }

    @Test("one that would lead to another path is not sent", arguments: [".", ".."])
    func otherPath(name: String) throws {
        let reference = CaptureReference(name: "name", source: "json:user.name")
        #expect(try pathRequest(name).problem == .unusablePath(reference))
    }

    private func pathRequest(_ name: String) throws -> WireRequest {
        let captured = CapturedValues(["name": Secret(name), "token": Secret("t1")])
        let dialect = try Dialect.oauth2(
            """
            capture.name = "json:user.name"
            capture.token = "json:id"
            protected.request = "DELETE /users/{name}/tokens/{token}"
            """
        )
        return dialect.protectedRequest(AccessToken(Secret("a1")), captured: captured)
    }

    @Test("a request with values in its path is recognized, and checked for them")
    func recognizedInPath() throws {
        let text = """
            capture.name = "json:user.name"
            protected.request = "GET /users/{name}/posts"
            """
        let dialect = try Dialect.oauth2(text)
        let request = dialect.protectedRequest(
            AccessToken(Secret("a1")),
            captured: CapturedValues(["name": Secret("a b")])
        )
        #expect(request.target == "/users/a%20b/posts")
        #expect(dialect.recognize(request) == .protected(AccessToken(Secret("a1"))))
        #expect(dialect.captureProblem(in: request) == nil)
        var other = request
        other.target = "/users//posts"
        #expect(dialect.recognize(other) == nil)
    }

    @Test(
        "one that would break out of its header is not sent",
        arguments: ["x\r\nX-Admin: 1", "x\ny", "x\u{7F}", "ü", "\u{0}"]
    )
    func injected(value: String) {
        let captured = CapturedValues([
            "csrf": Secret("c"), "device": Secret("d"), "state": Secret(value),
        ])
        let request = dialect.refreshRequest(RefreshToken(Secret("r1")), captured: captured)
        #expect(request.problem == .unusableHeader("X-State"))
    }

    @Test("a cookie that decodes to a line break is not sent in a header")
    func encodedInjection() {
        let captured = CapturedValues([
            "csrf": Secret("c%0D%0AX-Admin:%201"), "device": Secret("d"), "state": Secret("s"),
        ])
        let request = dialect.refreshRequest(RefreshToken(Secret("r1")), captured: captured)
        #expect(request.problem == .unusableHeader("X-CSRFToken"))
    }

    @Test("one from elsewhere cannot add a cookie")
    func cookieInjection() throws {
        let text = Self.profile.replacing("csrftoken={csrf}", with: "state={state}")
        let dialect = try Dialect(toml: text, file: "page.toml")
        let captured = CapturedValues([
            "csrf": Secret("c"), "device": Secret("d"), "state": Secret("1; admin=1"),
        ])
        let request = dialect.refreshRequest(RefreshToken(Secret("r1")), captured: captured)
        #expect(request.header("Cookie") == "refresh=r1; state=1%3B%20admin=1; lang=en")
    }

    @Test(
        "what cannot be kept is not captured",
        arguments: ["", "a\tb", String(repeating: "x", count: 8_193)]
    )
    func unusable(value: String) {
        let response = Self.answer([WireHeader("X-State", value)], "{}")
        #expect(dialect.captured(in: response) == .none)
    }

    @Test("one is kept by an answer without it, replaced by a new one, removed with its cookie")
    func change() {
        var captured = CapturedValues(["csrf": Secret("1"), "state": Secret("2")])
        captured = captured.applying(dialect.captured(in: Self.answer([], "{}")))
        #expect(captured == CapturedValues(["csrf": Secret("1"), "state": Secret("2")]))
        let newer = Self.answer([WireHeader("Set-Cookie", "csrftoken=3")], "{}")
        captured = captured.applying(dialect.captured(in: newer))
        #expect(captured == CapturedValues(["csrf": Secret("3"), "state": Secret("2")]))
        let deleted = Self.answer([WireHeader("Set-Cookie", "csrftoken=; Max-Age=0")], "{}")
        captured = captured.applying(dialect.captured(in: deleted))
        #expect(captured == CapturedValues(["state": Secret("2")]))
    }

    @Test("403 and 419 to a request with them name them, unless the profile lists the status")
    func forbidden() throws {
        let body = #"{"detail": "CSRF Failed"}"#
        for status in [403, 419] {
            let response = WireResponse(status: status, body: Array(body.utf8))
            guard
                case .failed(.forbidden(status, "CSRF Failed", let captures)) =
                    dialect.readRefresh(response)
            else {
                Issue.record("\(dialect.readRefresh(response))")
                continue
            }
            #expect(captures.map(\.name) == ["csrf", "device", "state"])
        }
        let listed = try Dialect(
            toml: Self.profile.replacing("status = 401", with: "status = [401, 403]"),
            file: "page.toml"
        )
        let response = WireResponse(status: 403, body: Array(body.utf8))
        guard case .refused = listed.readRefresh(response) else {
            Issue.record("the profile lists it")
            return
        }
    }

    @Test("a sandbox issues them, and refuses a request that does not send them again")
    func served() throws {
        let response = dialect.answer(.loginIssued(Sample(dialect).facts))
        let tokens = try #require(dialect.readLogin(response).tokens)
        #expect(tokens.captured.values.keys.sorted() == ["csrf", "device", "state"])
        let captured = CapturedValues(tokens.captured.values)
        let refresh = try #require(tokens.refresh)
        let request = dialect.refreshRequest(refresh, captured: captured)
        #expect(dialect.captureProblem(in: request) == nil)
        #expect(dialect.recognize(request) == .refresh(refresh))
        var without = request
        without.headers.removeAll { $0.name == "X-CSRFToken" }
        #expect(dialect.captureProblem(in: without) == .missing("csrf"))
        var other = request
        other.headers = request.headers.map {
            $0.name == "X-CSRFToken" ? WireHeader($0.name, "another") : $0
        }
        #expect(dialect.captureProblem(in: other) == .different("csrf"))
    }
}
