import Basics
import Testing

@testable import Profiles

@Suite("Round trips: what the client asks is what the sandbox recognizes")
struct RoundTripTests {
    @Test("in every dialect, for every exchange", arguments: Dialect.builtIn())
    func all(dialect: Dialect) throws {
        let dialect = dialect.withSandboxFeed()
        let sample = Sample(dialect)
        let names = Set(dialect.credentials.map(\.name))
        let credentials = Sample.credentials.filter { names.contains($0.key) }
        #expect(
            dialect.recognize(try dialect.loginRequest(Sample.credentials))
                == .login(credentials: credentials)
        )
        #expect(
            dialect.recognize(dialect.refreshRequest(sample.refresh)) == .refresh(sample.refresh)
        )
        #expect(
            dialect.recognize(dialect.protectedRequest(sample.access)) == .protected(sample.access)
        )
        for scope in dialect.logoutScopes {
            let request = try #require(
                dialect.logoutRequest(scope, refresh: sample.refresh, access: sample.access)
            )
            guard case .logout(scope, let refresh, let access)? = dialect.recognize(request) else {
                Issue.record("\(scope) is not recognized")
                continue
            }
            let needs = try #require(dialect.logoutNeeds[scope])
            #expect(refresh == (needs.refresh ? sample.refresh : nil))
            #expect(access == (needs.access ? sample.access : nil))
        }
        if let request = dialect.sessionsRequest(sample.access) {
            #expect(dialect.recognize(request) == .sessions(sample.access))
        }
        let feed = try #require(dialect.feedRequest(sample.access, since: "41 & 42"))
        let upgrade = WireRequest(method: "GET", target: feed.target, headers: feed.headers)
        let since = dialect.feedResumes ? "41 & 42" : nil
        #expect(dialect.recognize(upgrade) == .feed(sample.access, since: since))
    }

    @Test(
        "a token goes to every place and comes back whole",
        arguments: [
            "bearer", "json:refresh", "json:a.b.c", "json:a.0.b", "json:a.2", "form:refresh_token",
            "header:X-Refresh", "cookie:refresh", "query:refresh_token",
        ],
        ["abc", "a b+c%41&d=e;f,\"g\"\\é", "eyJh.eyJl.c2ln", "=="]
    )
    func places(place: String, text: String) throws {
        let dialect = try Dialect.sketch(refresh: "token_in = \"\(place)\"")
        let token = RefreshToken(Secret(text))
        #expect(dialect.recognize(dialect.refreshRequest(token)) == .refresh(token))
    }

    @Test("fixed fields and headers are sent along")
    func fixed() throws {
        let dialect = try Dialect.sketch(
            refresh: """
                token_in = "form:refresh_token"
                fields = { grant_type = "refresh_token", tries = 3 }
                headers = { X-Client = "authtop" }
                """
        )
        let request = dialect.refreshRequest(RefreshToken(Secret("a b")))
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "grant_type=refresh_token&refresh_token=a%20b&tries=3"
        )
        #expect(request.header("content-type") == "application/x-www-form-urlencoded")
        #expect(request.header("X-Client") == "authtop")
        #expect(request.header("accept") == "application/json")
        #expect(request.headers.count == 3)
    }

    @Test("two exchanges on one path are told apart by their fixed fields")
    func onePath() throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST /token"
            body = "form"
            credentials = ["email"]
            fields = { grant_type = "password", username = "{email}" }
            [login.response]
            access = "access_token"
            [refresh]
            request = "POST /token"
            token_in = "form:refresh_token"
            fields = { grant_type = "refresh_token" }
            [refresh.response]
            access = "access_token"
            [[refresh.terminal]]
            status = [400, 401]
            key = "error"
            equals = "invalid_grant"
            """
        let dialect = try Dialect(toml: text, file: "sketch.toml")
        let token = RefreshToken(Secret("r"))
        #expect(dialect.recognize(dialect.refreshRequest(token)) == .refresh(token))
        let credentials = ["email": Secret("a@b.c")]
        #expect(
            dialect.recognize(try dialect.loginRequest(credentials))
                == .login(credentials: credentials)
        )
        #expect(dialect.paths == ["/token"])
    }

    @Test(
        "a request without its token is recognized all the same",
        arguments: ["", "{", "[]", #"{"refresh_token": ""}"#, #"{"refresh_token": 5}"#, "null"]
    )
    func withoutToken(body: String) throws {
        let dialect = try #require(Dialect.builtIn(named: "bitbasel"))
        let request = WireRequest(method: "POST", target: "/auth/refresh", body: Array(body.utf8))
        #expect(dialect.recognize(request) == .refresh(nil))
    }

    @Test(
        "another method, path or case is not this dialect's",
        arguments: [
            "GET /auth/refresh", "POST /auth/refresh/", "POST /Auth/Refresh", "HEAD /posts/feed",
            "POST /", "OPTIONS *",
        ]
    )
    func foreign(line: String) throws {
        let dialect = try #require(Dialect.builtIn(named: "bitbasel"))
        let parts = line.split(separator: " ").map(String.init)
        #expect(dialect.recognize(WireRequest(method: parts[0], target: parts[1])) == nil)
    }

    @Test("the scheme of a bearer token is read in any case")
    func scheme() throws {
        let dialect = try #require(Dialect.builtIn(named: "bitbasel"))
        for value in ["bearer  x", "BEARER x", "Bearer x"] {
            let headers = [WireHeader("authorization", value)]
            let request = WireRequest(method: "GET", target: "/posts/feed", headers: headers)
            #expect(dialect.recognize(request) == .protected(AccessToken(Secret("x"))))
        }
        let basic = [WireHeader("Authorization", "Basic x")]
        let request = WireRequest(method: "GET", target: "/posts/feed", headers: basic)
        #expect(dialect.recognize(request) == .protected(nil))
    }
}
