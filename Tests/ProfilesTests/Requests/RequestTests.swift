import Basics
import Testing

@testable import Profiles

@Suite("Requests")
struct RequestTests {
    @Test("a login without one of its credentials is not asked for", arguments: Dialect.builtIn())
    func missing(dialect: Dialect) {
        for spec in dialect.credentials {
            var credentials = Sample.credentials
            credentials[spec.name] = nil
            #expect(throws: MissingCredential(name: spec.name)) {
                try dialect.loginRequest(credentials)
            }
            credentials[spec.name] = Secret("")
            #expect(throws: MissingCredential(name: spec.name)) {
                try dialect.loginRequest(credentials)
            }
        }
    }

    @Test(
        "credentials are asked for in the file's order, and secrets are hidden",
        arguments: [
            ("bitbasel", ["identity_token*"]), ("melchat", ["email", "code*"]),
            ("voltyks", ["email", "password*"]), ("creatist", ["email", "password*"]),
            ("intellipost", ["email", "password*"]),
        ]
    )
    func order(name: String, expected: [String]) throws {
        let dialect = try #require(Dialect.builtIn(named: name))
        #expect(dialect.credentials.map { $0.name + ($0.isSecret ? "*" : "") } == expected)
    }

    @Test("a credential may be part of a text, and is escaped where it stands")
    func template() throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST /login"
            credentials = ["user", "domain"]
            fields = { account = { login = "DOM\\\\{user}", where = "{domain}" }, kind = 1 }
            [login.response]
            access = "a"
            """
        let dialect = try Dialect(toml: text, file: "sketch.toml")
        let credentials = ["user": Secret(#"o"neil"#), "domain": Secret("{user}")]
        let request = try dialect.loginRequest(credentials)
        #expect(
            JSONValue(parsing: request.body) == [
                "account": ["login": #"DOM\o"neil"#, "where": "{user}"], "kind": 1,
            ]
        )
        #expect(dialect.recognize(request) == .login(credentials: credentials))
    }

    @Test("headers at the top are those of every request, unless it has its own")
    func commonHeaders() throws {
        let dialect = try Profile.extending(
            lines: """
                extends = "melchat"
                headers = { apikey = "project", X-Version = "1" }
                protected.headers = { x-version = "2" }
                """
        ).dialect
        let sample = Sample(dialect)
        let requests = [
            try dialect.loginRequest(Sample.credentials), dialect.refreshRequest(sample.refresh),
            dialect.logoutRequest(.this, refresh: sample.refresh, access: nil),
            dialect.logoutRequest(.this, refresh: nil, access: sample.access),
            dialect.logoutRequest(.everywhere, refresh: sample.refresh, access: sample.access),
            dialect.sessionsRequest(sample.access),
        ]
        for request in requests {
            #expect(request?.header("apikey") == "project")
            #expect(request?.header("X-Version") == "1")
        }
        let protected = dialect.protectedRequest(sample.access)
        #expect(protected.header("apikey") == "project")
        #expect(protected.headers.filter { $0.name.lowercased() == "x-version" }.count == 1)
        #expect(protected.header("X-Version") == "2")
    }

    @Test(
        "each exchange and the feed may have a host of their own; the others use the base URL"
    )
    func hosts() throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST https://login.example.com:8443/v1/login?key=web"
            fields = { user = "u" }
            [login.response]
            access = "a"
            [refresh]
            request = "POST https://token.example.com/v1/token"
            token_in = "json:refresh"
            terminal = [{ status = 401 }]
            [refresh.response]
            access = "a"
            [protected]
            request = "GET /me"
            [feed]
            path = "wss://rt.example.com/ws?v=2"
            token_in = "query:token"
            """
        let dialect = try Dialect(toml: text, file: "sketch.toml")
        let login = try dialect.loginRequest([:])
        #expect(login.fullTarget == "https://login.example.com:8443/v1/login?key=web")
        #expect(login.target == "/v1/login?key=web")
        let refresh = dialect.refreshRequest(RefreshToken(Secret("r")))
        #expect(refresh.origin == "https://token.example.com")
        let access = AccessToken(Secret("a"))
        #expect(dialect.protectedRequest(access).fullTarget == "/me")
        let feed = try #require(dialect.feedRequest(access, since: nil))
        #expect(feed.origin == "https://rt.example.com")
        #expect(feed.target == "/ws?v=2&token=a")
        #expect(feed.shownTarget == "wss://rt.example.com/ws?v=2&token={token}")
        #expect(
            dialect.namedOrigins.map(\.origin) == [
                "https://login.example.com:8443", "https://token.example.com",
                "https://rt.example.com",
            ]
        )
        // The tokens' issuer is not the host with the data.
        #expect(dialect.isIssuer(login) && dialect.isIssuer(refresh))
        #expect(!dialect.isIssuer(dialect.protectedRequest(access)))
        #expect(dialect.renewalOrigin == "https://token.example.com")
    }

    @Test("a request of the user goes to the host of the protected request")
    func customHost() throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST /login"
            [login.response]
            access = "a"
            [protected]
            request = "GET https://api.example.com/me"
            """
        let dialect = try Dialect(toml: text, file: "sketch.toml")
        let custom = try CustomRequest(method: "GET", target: "/other")
        let request = try dialect.request(custom, token: AccessToken(Secret("a")))
        #expect(request.fullTarget == "https://api.example.com/other")
    }

    @Test("a token in a query is sent there, and its fingerprint is shown")
    func queryTokens() throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST /login"
            [login.response]
            access = "a"
            [refresh]
            request = "POST https://token.example.com/refresh?v=2"
            token_in = "query:refresh_token"
            terminal = [{ status = 401 }]
            [refresh.response]
            access = "a"
            [protected]
            request = "GET /me"
            token_in = "query:token"
            """
        let dialect = try Dialect(toml: text, file: "sketch.toml")
        let fingerprinter = Fingerprinter(salt: Array(repeating: 7, count: 16))
        let secret = Secret("r+1/=")
        let name = fingerprinter.fingerprint(of: secret)
        let refresh = dialect.refreshRequest(RefreshToken(secret))
        #expect(refresh.target == "/refresh?v=2&refresh_token=r%2B1%2F%3D")
        let origin = "https://token.example.com"
        #expect(
            refresh.shownTarget(naming: fingerprinter)
                == "\(origin)/refresh?v=2&refresh_token=\(name)"
        )
        for (target, sent) in [("/other", "/other?"), ("/other?x=1", "/other?x=1&")] {
            let custom = try CustomRequest(method: "GET", target: target)
            let request = try dialect.request(custom, token: AccessToken(secret))
            #expect(request.target == "\(sent)token=r%2B1%2F%3D")
            #expect(request.shownTarget(naming: fingerprinter) == "\(sent)token=\(name)")
        }
    }

    @Test("one path may be a login and a refresh: its query tells them apart, on both sides")
    func query() throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST /token?grant_type=password&v=a%20b"
            fields = { user = "u" }
            [login.response]
            access = "a"
            [refresh]
            request = "POST /token?grant_type=refresh_token"
            token_in = "json:refresh"
            terminal = [{ status = 401 }]
            [refresh.response]
            access = "a"
            [feed]
            path = "/ws?vsn=2"
            token_in = "query:jwt"
            since = "after"
            """
        let dialect = try Dialect(toml: text, file: "sketch.toml")
        let login = try dialect.loginRequest([:])
        #expect(login.target == "/token?grant_type=password&v=a%20b")
        #expect(dialect.recognize(login) == .login(credentials: [:]))
        let token = RefreshToken(Secret("r-1"))
        let refresh = dialect.refreshRequest(token)
        #expect(refresh.target == "/token?grant_type=refresh_token")
        #expect(dialect.recognize(refresh) == .refresh(token))
        #expect(dialect.recognize(WireRequest(method: "POST", target: "/token")) == nil)
        let access = AccessToken(Secret("a-1"))
        let feed = try #require(dialect.feedRequest(access, since: "7"))
        #expect(feed.target == "/ws?vsn=2&jwt=a-1&after=7")
        #expect(feed.shownTarget == "/ws?vsn=2&jwt={token}&after=7")
        let upgrade = WireRequest(method: "GET", target: feed.target)
        #expect(dialect.recognize(upgrade) == .feed(access, since: "7"))
        #expect(dialect.recognize(WireRequest(method: "GET", target: "/ws?jwt=a-1")) == nil)
    }

    @Test("a logout names the session by whatever token is at hand, and is not asked for by none")
    func logout() throws {
        let dialect = try #require(Dialect.builtIn(named: "melchat"))
        let sample = Sample(dialect)
        #expect(dialect.logoutScopes == [.this, .everywhere])
        let byAccess = try #require(
            dialect.logoutRequest(.this, refresh: nil, access: sample.access)
        )
        #expect(byAccess.header("Authorization") == "Bearer \(sample.access.secret.reveal())")
        let byRefresh = try #require(
            dialect.logoutRequest(.this, refresh: sample.refresh, access: nil)
        )
        #expect(byRefresh.header("Authorization") == nil)
        #expect(dialect.logoutRequest(.this, refresh: nil, access: nil) == nil)
        #expect(dialect.logoutRequest(.everywhere, refresh: nil, access: sample.access) == nil)
        #expect(dialect.logoutRequest(.everywhere, refresh: sample.refresh, access: nil) == nil)
        let anonymous = try #require(Dialect.builtIn(named: "intellipost"))
        #expect(anonymous.anonymousLogouts == [.this])
        let bare = try #require(
            anonymous.logoutRequest(.this, refresh: sample.refresh, access: sample.access)
        )
        #expect(bare.headers.isEmpty && bare.body.isEmpty)
        let other = try #require(Dialect.builtIn(named: "voltyks"))
        #expect(other.logoutScopes.isEmpty)
        #expect(other.logoutRequest(.this, refresh: sample.refresh, access: sample.access) == nil)
    }

    @Test(
        "a logout without a refresh token holds the access token where that does as well",
        arguments: ["melchat", "oauth2"]
    )
    func logoutWithoutRefresh(name: String) throws {
        let dialect = try #require(Dialect.builtIn(named: name))
        let sample = Sample(dialect)
        let credentials = Sample.credentials
        let request = try #require(
            dialect.logoutRequest(
                .this,
                refresh: nil,
                access: sample.access,
                credentials: credentials
            )
        )
        #expect(
            dialect.recognize(request) == .logout(.this, refresh: nil, access: sample.access)
        )
        if name == "oauth2" {
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(body.contains("token_type_hint=access_token"))
        } else {
            #expect(request.header("Authorization")?.hasPrefix("Bearer ") == true)
            #expect(request.body.isEmpty)
        }
        #expect(dialect.logoutNeeds[.this] == LogoutNeeds(refresh: true, accessSuffices: true))
    }

    @Test("the request that is sent again after a 401 carries its headers, and no other does")
    func retryHeaders() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let token = Sample(dialect).access
        let again = dialect.protectedRequest(token, isRetry: true)
        #expect(again.header("Authorization-Retry") == "true")
        #expect(dialect.protectedRequest(token).header("Authorization-Retry") == nil)
        #expect(dialect.recognize(again) == .protected(token))
    }

    @Test("without a refresh or a protected request, no token leaves")
    func none() throws {
        let text = """
            name = "sketch"
            [login]
            request = "POST /login"
            [login.response]
            access = "a"
            """
        let dialect = try Dialect(toml: text, file: "sketch.toml")
        #expect(!dialect.hasRefreshToken && !dialect.hasProtectedRequest && !dialect.hasFeed)
        let requests = [
            dialect.refreshRequest(RefreshToken(Secret("s3cr3t"))),
            dialect.protectedRequest(AccessToken(Secret("s3cr3t"))),
        ]
        for request in requests {
            #expect(request.headers.isEmpty && request.body.isEmpty)
            #expect(!request.target.contains("s3cr3t"))
        }
        #expect(
            dialect.readRefresh(WireResponse(status: 200))
                == .failed(.clientFault(status: 200, message: "the dialect sketch has no refresh"))
        )
    }

    @Test("no description, mirror or dump of a request shows a token", arguments: Dialect.builtIn())
    func descriptions(dialect: Dialect) throws {
        let dialect = dialect.withSandboxFeed()
        let access = AccessToken(Secret("access-s3cr3t"))
        let refresh = RefreshToken(Secret("refresh-s3cr3t"))
        var shown = ""
        dump(dialect.refreshRequest(refresh), to: &shown)
        dump(dialect.protectedRequest(access), to: &shown)
        dump(dialect.feedRequest(access, since: nil), to: &shown)
        dump(dialect.recognize(dialect.refreshRequest(refresh)), to: &shown)
        shown += String(reflecting: dialect.refreshRequest(refresh))
        shown += dialect.feedRequest(access, since: nil)?.shownTarget ?? ""
        #expect(!shown.contains("s3cr3t"))
    }
}
