import Basics
import Testing

@testable import Profiles

@Suite("Profiles: a dialect, and what differs")
struct ProfileTests {
    @Test("without anything of its own it is the dialect, under another name")
    func bare() throws {
        for name in Dialect.builtInSources.keys.sorted() {
            let profile = try Profile.extending(lines: "extends = \"\(name)\"")
            var dialect = try #require(Dialect.builtIn(named: name))
            #expect(profile.name == "mine")
            #expect(profile.files == ["mine.toml", "\(name).toml"])
            #expect(profile.dialect.name == name)
            // The sandbox's answers are not inherited.
            let text = try #require(Dialect.builtInSources[name])
            let mark = try #require(text.firstRange(of: "[responses"))
            dialect = try Dialect(toml: String(text[..<mark.lowerBound]), file: "x.toml")
            #expect(profile.dialect == dialect)
        }
    }

    @Test("what it says is heard, what it does not say stays")
    func differences() throws {
        let profile = try Profile.extending(
            lines: """
                extends = "oauth2"
                name = "staging"
                base_url = "https://auth.example.com/v2"
                vault = "helper:pass"
                retention = "30d"
                client_auth = "body"
                disable = ["logout", "login.response.token_type"]
                [login]
                request = "POST /oauth/token/"
                fields = { audience = "api" }
                [refresh]
                request = "POST /oauth/token/"
                [policy]
                lead = "5m"
                give_up_after = 3
                [credentials]
                password_command = ["pass", "show", "x"]
                """
        )
        #expect(profile.name == "staging")
        #expect(profile.dialect.name == "oauth2")
        #expect(profile.baseURL == "https://auth.example.com/v2")
        #expect(profile.vault == .helper("pass"))
        #expect(profile.keep == 2_592_000)
        #expect(profile.credentialCommands == ["password": ["pass", "show", "x"]])
        #expect(profile.dialect.policy == DialectPolicy(lead: 300, giveUpAfter: 3))
        #expect(profile.dialect.logoutScopes.isEmpty)
        let login = try profile.dialect.loginRequest(Sample.credentials)
        #expect(login.target == "/oauth/token/")
        let body = String(decoding: login.body, as: UTF8.self)
        #expect(body.contains("audience=api") && body.contains("grant_type=password"))
        #expect(body.contains("client_id=s6BhdRkqt3"))
        let answer = WireResponse(200, json: #"{"access_token": "a", "token_type": "mac"}"#)
        #expect(profile.dialect.readLogin(answer).tokens != nil)
        #expect(profile.dialect.readRefresh(answer).tokens == nil)
    }

    @Test("a whole dialect is a profile too")
    func own() throws {
        let profile = try Profile.extending(
            lines: """
                [login]
                request = "POST /login"
                credentials = ["email"]
                fields = { email = "{email}" }
                [login.response]
                access = "token"
                """
        )
        #expect(profile.name == "mine" && profile.dialect.name == "mine")
        #expect(profile.baseURL == nil && profile.vault == nil && profile.keep == nil)
        #expect(!profile.dialect.hasRefreshToken)
    }

    @Test("files stand upon each other, and a list is replaced as a whole")
    func chain() throws {
        let profile = try Profile.extending(
            lines: """
                extends = "team"
                [[refresh.terminal]]
                status = 403
                """,
            files: [
                "team": """
                extends = "voltyks"
                base_url = "https://team.example.com"
                login.fields.device = "cli"
                """
            ]
        )
        #expect(profile.files == ["mine.toml", "profiles/team.toml", "voltyks.toml"])
        #expect(profile.baseURL == "https://team.example.com")
        let login = try profile.dialect.loginRequest(Sample.credentials)
        #expect(JSONValue(parsing: login.body)?.value(at: "device") == "cli")
        #expect(JSONValue(parsing: login.body)?.value(at: "email") == "user@example.com")
        let mismatch = WireResponse(401, json: #"{"message": "RefreshTokenMismatch"}"#)
        guard case .failed = profile.dialect.readRefresh(mismatch) else {
            Issue.record("the inherited rule is there still")
            return
        }
        guard case .refused = profile.dialect.readRefresh(WireResponse(403, json: "{}")) else {
            Issue.record("the own rule is not heard")
            return
        }
    }

    @Test("what a grant says can be left out like anything else")
    func withoutGrantPart() throws {
        let profile = try Profile.extending(
            lines: """
                extends = "oauth2"
                disable = ["login.fields.grant_type", "refresh.fields"]
                client_auth = "none"
                login.body = "json"
                refresh.token_in = "json:refresh_token"
                """
        )
        let login = try profile.dialect.loginRequest(Sample.credentials)
        let password = try #require(Sample.credentials["password"]?.reveal())
        #expect(
            JSONValue(parsing: login.body)
                == ["username": "johndoe", "password": .string(password)]
        )
        #expect(login.header("Content-Type") == "application/json")
        let refresh = profile.dialect.refreshRequest(RefreshToken(Secret("r")))
        #expect(JSONValue(parsing: refresh.body) == ["refresh_token": "r"])
    }

    @Test("a file that stands in for a built-in may extend it")
    func standIn() throws {
        let profile = try Profile.extending(
            lines: "extends = \"voltyks\"",
            files: ["voltyks": "extends = \"voltyks\"\nbase_url = \"https://v.example.com\""]
        )
        #expect(profile.baseURL == "https://v.example.com")
        #expect(profile.dialect.name == "voltyks")
    }

    @Test("what is shown can be read again, and is the same", arguments: Dialect.builtIn())
    func resolved(dialect: Dialect) throws {
        let shown = try Profile.extending(
            lines: "extends = \"\(dialect.name)\"\nretention = \"1d\"\nlifetimes.access = \"90s\""
        )
        let again = try Profile.extending(lines: shown.resolved)
        var expected = shown.dialect
        // Chosen already; the others are not part of it any more.
        expected.name = "mine"
        #expect(
            again.resolved.split(separator: "\n").dropFirst()
                == shown.resolved.split(separator: "\n").dropFirst()
        )
        #expect(again.dialect.credentials == expected.credentials)
        #expect(again.dialect.lifetimes == expected.lifetimes)
        #expect(again.keep == 86_400)
        let sample = Sample(expected)
        #expect(
            try again.dialect.loginRequest(Sample.credentials)
                == expected.loginRequest(Sample.credentials)
        )
        #expect(
            again.dialect.refreshRequest(sample.refresh)
                == expected.refreshRequest(sample.refresh)
        )
    }

    @Test("what may be a secret is not shown")
    func hidden() throws {
        let profile = try Profile.extending(
            lines: """
                extends = "oauth2"
                [login]
                headers = { X-Api-Key = "abc123def", X-Client = "authtop" }
                fields = { device_token = "abc123def", audience = "api" }
                [refresh.fields]
                device = { push_token = "abc123def" }
                [refresh]
                body = "json"
                token_in = "json:refresh_token"
                """
        )
        #expect(!profile.resolved.contains("abc123def"))
        #expect(profile.resolved.contains("X-Client = \"authtop\""))
        #expect(profile.resolved.contains("audience = \"api\""))
        #expect(profile.resolved.contains("{password}"))
        #expect(profile.resolved.contains("token_type_hint = \"refresh_token\""))
    }

    @Test("profiles with bytes changed at random are read or refused", arguments: 0..<10)
    func mutations(seed: Int) {
        var random = Mutator(seed: seed)
        for base in Dialect.builtInSources.keys.sorted() {
            let text = """
                extends = "\(base)"
                grant = "password"
                disable = ["policy", "login.response.refresh"]
                retention = "1d"
                [refresh]
                token_in = "json:refresh.token"
                [credentials]
                password_command = ["pass", "show", "x"]
                """
            for _ in 0..<20 {
                let lines = String(decoding: random.mutated(Array(text.utf8)), as: UTF8.self)
                do throws(DialectError) {
                    let profile = try Profile.extending(lines: lines)
                    #expect(profile.files.first == "mine.toml")
                } catch {
                    #expect(error.line != nil)
                    #expect(!error.description.contains("\n"))
                }
            }
        }
    }
}
