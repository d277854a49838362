import Basics
import Testing

@testable import Profiles

@Suite("A profile against the answers of its backend")
struct ProfileTrialTests {
    private static func answer(_ body: String, status: Int = 200) -> WireResponse {
        WireResponse(
            status: status,
            headers: [
                WireHeader("Content-Type", "application/json"),
                WireHeader("Set-Cookie", "sid=s3cr3t; HttpOnly"),
            ],
            body: Array(body.utf8)
        )
    }

    private static let sketch = """
        name = "sketch"
        [login]
        request = "POST /login"
        credentials = ["email"]
        fields = { email = "{email}" }
        [login.response]
        access = ["data.accessToken", "data.token"]
        refresh = "data.refreshToken"
        subject = "data.user.id"
        [refresh]
        request = "POST /refresh"
        token_in = "json:refresh_token"
        [refresh.response]
        access = "accessToken"
        [[refresh.terminal]]
        status = 401
        """

    private static let login = """
        {"data": {"token": "a1", "refreshToken": "r1", "expiresIn": 60, "user": {"id": 7,
        "email": "a@b.c"}, "roles": ["x"]}}
        """

    private func trial(_ responses: [ProfileTrial.TrialStep: WireResponse]) throws
        -> ProfileTrial
    {
        ProfileTrial(of: try Dialect(toml: Self.sketch, file: "sketch.toml"), responses)
    }

    private func use(_ key: String, _ value: String, in trial: ProfileTrial) -> ProfileTrial.Use? {
        trial.keys.first { $0.key == key && $0.value == value }?.use
    }

    @Test("each key is matched, or not, or was never needed")
    func uses() throws {
        let refresh = #"{"access_token": "a2", "expires_in": 60, "scope": "read"}"#
        let trial = try trial([.login: Self.answer(Self.login), .refresh: Self.answer(refresh)])
        #expect(use("login.request", "POST /login", in: trial) == .matched)
        #expect(use("login.response.access", "data.token", in: trial) == .matched)
        #expect(use("login.response.access", "data.accessToken", in: trial) == .neverNeeded)
        #expect(use("login.response.subject", "data.user.id", in: trial) == .matched)
        #expect(use("refresh.response.access", "accessToken", in: trial) == .didNotMatch)
        #expect(use("refresh.terminal.0", "401", in: trial) == .neverNeeded)
    }

    @Test("what no key reads is named by its place, never by its value")
    func unread() throws {
        let trial = try trial([.login: Self.answer(Self.login)])
        #expect(
            trial.unread.map(\.place) == [
                "data.expiresIn", "data.roles", "data.user.email", "cookie:sid",
            ]
        )
        #expect(!"\(trial)".contains("s3cr3t"))
        #expect(!"\(trial)".contains("a@b.c"))
    }

    @Test("what is in a list of objects is named by its index, unless a key reads it")
    func unreadInLists() throws {
        let text = """
            extends = "sketch"
            login.response = { access = "tokens.0.value", refresh = "hints.0" }
            disable = "login.response.subject"
            """
        let dialect = try Profile.extending(lines: text, files: ["sketch": Self.sketch]).dialect
        let login = """
            {"tokens": [{"value": "a1", "expiresIn": 60}, {"value": "r1"}], "hints": ["r1"],
            "roles": ["x"], "none": []}
            """
        let trial = ProfileTrial(of: dialect, [.login: Self.answer(login)])
        #expect(
            trial.unread.map(\.place) == [
                "none", "roles", "tokens.0.expiresIn", "tokens.1.value", "cookie:sid",
            ]
        )
        #expect(
            trial.suggestions.map(\.line) == [
                #"login.response.access_expires = "seconds:tokens.0.expiresIn""#
            ]
        )
    }

    @Test("what would sharpen the profile is a line of it")
    func suggestions() throws {
        let refresh = """
            {"accessToken": "a2", "refresh_token": "r2", "expires_at": 1800000000,
            "refresh_expires_in": 0, "token_type": "Bearer", "sub": "7", "scope": "read"}
            """
        let trial = try trial([.login: Self.answer(Self.login), .refresh: Self.answer(refresh)])
        #expect(
            trial.suggestions.map(\.line) == [
                #"login.response.access_expires = "seconds:data.expiresIn""#,
                #"login.response.display_name = "data.user.email""#,
                #"refresh.response.access_expires = "unix_seconds:expires_at""#,
                #"refresh.response.refresh_expires = "seconds_unless_zero:refresh_expires_in""#,
                #"refresh.response.refresh = "refresh_token""#,
                #"refresh.response.subject = "sub""#,
                #"refresh.response.token_type = "token_type""#,
            ]
        )
        for suggestion in trial.suggestions {
            let text = "extends = \"sketch\"\n\(suggestion.line)"
            #expect(throws: Never.self) {
                try Profile.extending(lines: text, files: ["sketch": Self.sketch])
            }
        }
    }

    @Test(
        "a line reads its place whatever the server calls its members",
        arguments: ["the \"own\"", "c:\\new", "urn:acme", "it's", "a = 1 # b"]
    )
    func quotedPlaces(name: String) throws {
        let answer: JSONValue = ["accessToken": "a2", name: ["expiresIn": 60]]
        let refresh = Self.answer(answer.serialized)
        let trial = try trial([.login: Self.answer(Self.login), .refresh: refresh])
        let suggestion = try #require(trial.suggestions.last)
        #expect(suggestion.place == "\(name).expiresIn")
        let dialect = try Profile.extending(
            lines: "extends = \"sketch\"\n\(suggestion.line)",
            files: ["sketch": Self.sketch]
        ).dialect
        let read = ProfileTrial(of: dialect, [.refresh: refresh])
        let value = "seconds:\(name).expiresIn"
        #expect(use("refresh.response.access_expires", value, in: read) == .matched)
    }

    @Test("a member whose name has a line break is in no line")
    func brokenPlaces() throws {
        let answer: JSONValue = ["accessToken": "a2", "its\nown": ["expiresIn": 60]]
        let trial = try trial([.refresh: Self.answer(answer.serialized)])
        #expect(trial.unread.map(\.place).contains("its own.expiresIn"))
        #expect(trial.suggestions == [])
    }

    @Test(
        "a refusal and a wrong path say so",
        arguments: [
            (401, ProfileTrial.Use.matched, ProfileTrial.Use.matched),
            (404, .didNotMatch, .neverNeeded), (503, .matched, .neverNeeded),
        ]
    )
    func refused(status: Int, request: ProfileTrial.Use, rule: ProfileTrial.Use) throws {
        let trial = try trial([
            .login: Self.answer(Self.login), .refresh: Self.answer("{}", status: status),
        ])
        #expect(use("refresh.request", "POST /refresh", in: trial) == request)
        #expect(use("refresh.terminal.0", "401", in: trial) == rule)
        #expect(use("refresh.response.access", "accessToken", in: trial) == .neverNeeded)
    }

    @Test("every built-in dialect matches its own answers", arguments: Dialect.builtIn())
    func own(dialect: Dialect) throws {
        let sample = Sample(dialect)
        var responses: [ProfileTrial.TrialStep: WireResponse] = [
            .login: dialect.answer(.loginIssued(sample.facts))
        ]
        if dialect.hasRefreshToken {
            responses[.refresh] = dialect.answer(.refreshIssued(sample.facts))
        }
        let trial = ProfileTrial(of: dialect, responses)
        let missing = trial.keys.filter {
            $0.use == .didNotMatch && $0.key != "refresh.response.refresh"
        }
        #expect(missing == [])
        #expect(dialect.trialKind(of: dialect.refreshRequest(sample.refresh)) == .refresh)
    }
}
