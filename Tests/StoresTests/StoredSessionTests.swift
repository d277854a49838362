import Basics
import FoundationEssentials
import Testing

@testable import Stores

@Suite("Stores: sessions of files")
struct StoredSessionTests {
    @Test("a file of a program has the sessions that are in it", arguments: StoreSample.all)
    func sample(sample: StoreSample) throws {
        let sessions = try sample.read()
        #expect(sessions.map(\.account) == sample.sessions.map(\.account))
        let left = sessions.map { session in
            (session.access ?? session.idToken)?.end?.timeIntervalSince(StoreSample.now)
        }
        #expect(left == sample.sessions.map(\.access))
        #expect(sessions.map { $0.refresh != nil } == sample.sessions.map(\.hasRefresh))
    }

    @Test("no text of a session has a token in it", arguments: StoreSample.all)
    func withoutTokens(sample: StoreSample) throws {
        let described = String(reflecting: try sample.read())
        for secret in [
            "gho_", "aoaAAAA", "aorAAAA", "1//0", "1//r", "ya29", "sk-ant", "hvs.", "npm_0",
        ] {
            #expect(!described.contains(secret))
        }
    }

    private func session(_ text: String, more: String = "") throws -> StoredSession? {
        let toml = """
            title = "Acme"
            renewal = "login"
            [[file]]
            paths = "~/acme.json"
            format = "json"
            [[file.session]]
            access = "a"
            refresh = "r"
            access_end = "e"
            refresh_end = "re"
            account = "who"
            \(more)
            """
        let definition = try StoreDefinition(toml: toml, file: "acme.toml", name: "acme")
        return try StoreSample.read(text, at: "acme.json", by: definition).first
    }

    @Test("a password in base64 has the fingerprint of the password, and an empty one is no token")
    func credentials() throws {
        let docker = try #require(StoreDefinition.builtIn.first { $0.name == "docker" })
        func session(_ entry: String) throws -> StoredSession? {
            let text = #"{"auths": {"registry.example.com": {\#(entry)}}}"#
            return try StoreSample.read(text, at: ".docker/config.json", by: docker).first
        }
        let password = Secret("secret-of-ada")
        let fingerprint = StoreSample.fingerprinter.fingerprint(of: password)
        for text in ["YWRhOnNlY3JldC1vZi1hZGE=", "YWRhOnNlY3JldC1vZi1hZGE"] {
            #expect(try session(#""auth": "\#(text)""#)?.access?.fingerprint == fingerprint)
        }
        let identity = try session(#""auth": "YWRhOg==", "identitytoken": "0123456789abcdef""#)
        #expect(identity?.access == nil && identity?.refresh != nil)
        for text in ["YWRh", "", "!!!!", "not in base64: at all"] {
            #expect(try session(#""auth": "\#(text)""#) == nil)
        }
    }

    @Test(
        "what a program keeps in a keyring is listed as that, and nothing where no keyring is named",
        arguments: [
            (
                "docker", ".docker/config.json",
                #"{"auths": {"a.example": {}, "b.example": {"auth": "YWRhOnNlY3JldC1vZi1hZGE="}},"#
                    + #" "credsStore": "secretservice"}"#,
                [("a.example", .keyring), ("b.example", .endless)]
            ),
            ("docker", ".docker/config.json", #"{"auths": {"a.example": {}}}"#, []),
            (
                "docker", ".docker/config.json",
                #"{"auths": {"a.example": {}}, "credsStore": ""}"#, []
            ),
            // A short password is none, but it is not in the keyring either.
            (
                "docker", ".docker/config.json",
                #"{"auths": {"a.example": {"auth": "YWRhOnB3"}}, "credsStore": "pass"}"#, []
            ),
            (
                "github", ".config/gh/hosts.yml",
                "github.com:\n  git_protocol: https\n  users:\n    octocat:\n  user: octocat\n",
                [("octocat", .keyring)]
            ),
        ] as [(String, String, String, [(String, StoredSession.State)])]
    )
    func keyring(
        store: String,
        path: String,
        text: String,
        expected: [(String, StoredSession.State)]
    ) throws {
        let definition = try #require(StoreDefinition.builtIn.first { $0.name == store })
        let found = try StoreSample.read(text, at: path, by: definition)
        #expect(found.map(\.account) == expected.map(\.0))
        #expect(found.map { $0.state(at: StoreSample.now) } == expected.map(\.1))
    }

    @Test("the end of a client's registration is a limit of its refresh token, and not its end")
    func limit() throws {
        let aws = try #require(StoreDefinition.builtIn.first { $0.name == "aws-sso" })
        func session(_ registration: String) throws -> StoredSession? {
            let text = """
                {"accessToken": "aoaAAAAAGZ", "expiresAt": "2027-01-15T07:00:00Z",
                "refreshToken": "aorAAAAAGZ", "registrationExpiresAt": "\(registration)"}
                """
            return try StoreSample.read(text, at: ".aws/sso/cache/0a1b.json", by: aws).first
        }
        let open = try session("2027-01-15T08:10:00Z")
        #expect(open?.refresh?.isLimit == true && open?.access?.isLimit == false)
        #expect(open?.state(at: StoreSample.now) == .renewable)
        #expect(try session("2027-01-15T07:50:00Z")?.state(at: StoreSample.now) == .ended)
        #expect(try session("never")?.refresh?.isLimit == false)
    }

    @Test("a program that renews from elsewhere has a session that ends by no end of its token")
    func elsewhere() throws {
        for (end, alone, renewed) in [
            (1_799_999_999, StoredSession.State.ended, StoredSession.State.renewable),
            (1_800_000_300, .ending, .live), (1_800_003_600, .live, .live),
        ] {
            let text = #"{"a": "0123456789", "e": \#(end)}"#
            #expect(try session(text)?.state(at: StoreSample.now) == alone)
            let session = try session(text, more: "renewed_from_elsewhere = true")
            #expect(session?.state(at: StoreSample.now) == renewed)
        }
    }

    private static let states: [(String, StoredSession.State)] = [
        (#"{"a": "0123456789"}"#, .endless),
        (#"{"a": "0123456789", "e": 1800003600}"#, .live),
        (#"{"a": "0123456789", "e": 1800000300}"#, .ending),
        (#"{"a": "0123456789", "r": "9876543210", "e": 1800000300}"#, .live),
        (#"{"a": "0123456789", "e": "/Date(1800000300000)/"}"#, .ending),
        (#"{"a": "0123456789", "e": "2027-01-15T08:05:00UTC"}"#, .ending),
        (#"{"a": "0123456789", "e": 1799999999}"#, .ended),
        (#"{"a": "0123456789", "r": "9876543210", "e": 1799999999}"#, .renewable),
        (
            #"{"a": "0123456789", "r": "9876543210", "e": 1799999999, "re": 1799999999}"#,
            .ended
        ),
        (#"{"r": "9876543210"}"#, .endless),
        (#"{"a": "0123456789", "e": "0001-01-01T00:00:00Z"}"#, .endless),
        (#"{"a": "0123456789", "e": "never"}"#, .endless),
        (#"{"a": "0123456789", "e": 253402300799000}"#, .endless),
    ]

    @Test("the state of a session follows from its ends", arguments: states.indices)
    func state(index: Int) throws {
        let (text, state) = Self.states[index]
        #expect(try session(text)?.state(at: StoreSample.now) == state)
    }

    @Test("the end of a JWT counts if it is before the one that the file states")
    func earlierEnd() throws {
        let token = StoreSample.token(#"{"exp":1800000100}"#)
        let session = try session(#"{"a": "\#(token)", "e": 1800009000}"#)
        #expect(session?.access?.end == StoreSample.now.addingTimeInterval(100))
    }

    @Test("an account's name is one line, and none if a token is in it")
    func account() throws {
        let token = "0123456789"
        let escape = try session(#"{"a": "\#(token)", "who": "a\u001b[31m\nb"}"#)
        #expect(escape?.account?.unicodeScalars.contains { $0.value < 0x20 } == false)
        #expect(try session(#"{"a": "\#(token)", "who": "x \#(token) y"}"#)?.account == nil)
    }

    @Test("the identifier of a client is shown however it looks, unless it is one of the tokens")
    func client() throws {
        let azure = try #require(StoreDefinition.builtIn.first { $0.name == "azure" })
        func client(_ identifier: String) throws -> String? {
            let text = """
                {"AccessToken": {"a": {"home_account_id": "u.t", "secret": "opaque-access-token",
                "client_id": "\(identifier)"}}}
                """
            return try StoreSample.read(text, at: ".azure/msal_token_cache.json", by: azure)
                .first?.client
        }
        for identifier in [
            "04b07795-8ddb-461a-bbee-02f9e1bf7b46",
            "764086051850-6qr4p6gpi6hn506pt8ejuq83di341hur.apps.googleusercontent.com",
        ] {
            #expect(try client(identifier) == identifier)
        }
        #expect(try client("opaque-access-token") == nil)
    }

    @Test("a token in place of the user's name is shown by its fingerprint")
    func tokenAsName() throws {
        let git = try #require(StoreDefinition.builtIn.first { $0.name == "git" })
        let text = "https://ghp_0123456789abcdefABCDEF:x-oauth-basic@git.example.com\n"
        let account = try StoreSample.read(text, at: ".git-credentials", by: git).first?.account
        #expect(account?.contains("0123456789") == false)
        #expect(account?.unicodeScalars.first == "‹")
        let netrc = try #require(StoreDefinition.builtIn.first { $0.name == "netrc" })
        let mail = "machine a login ada.lovelace1815@mathematics.example.com password 0123456789"
        let named = try StoreSample.read(mail, at: ".netrc", by: netrc).first?.account
        #expect(named == "ada.lovelace1815@mathematics.example.com")
    }

    @Test(
        "a long name of several words is no token, a long word of any characters may be one",
        arguments: [
            ("gke_acme-prod-1_europe-west1-b_main", false),
            ("kubernetes-admin-of-cluster-01", false), ("arn-aws-eks-eu-central-1-cluster", false),
            ("ghp_0123456789abcdefABCDEF", true), ("glpat-x7Qz_aB3-kL9mN2pQ4", true),
            ("hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", true),
            ("0123456789abcdef0123456789abcdef01234567", true), ("short1A", false),
        ]
    )
    func words(word: String, mayBeToken: Bool) {
        #expect(StoredSessionReader.mayBeToken(word) == mayBeToken)
    }

    @Test("a session that is named by its file has the name of the file, whatever that is")
    func namedByFile() throws {
        let store = try #require(StoreDefinition.builtIn.first { $0.name == "mcp-remote" })
        let name = "\(String(repeating: "0a1b", count: 8))_tokens"
        let text = #"{"access_token": "mcp-access", "expires_in": 900}"#
        let path = ".mcp-auth/mcp-remote-0.1.29/\(name).json"
        #expect(try StoreSample.read(text, at: path, by: store).first?.account == name)
    }

    @Test("of a file with too many sessions the first ones are read, and it is named")
    func cut() throws {
        let store = try #require(StoreDefinition.builtIn.first { $0.name == "npm" })
        let files = try #require(store.files.first)
        for (count, isCut) in [(500, false), (501, true)] {
            let lines = (0..<count).map { "//r\($0).example.com/:_authToken=npm_0123456789" }
            let text = Array(lines.joined(separator: "\n").utf8)
            let document = try #require(StoreDocument.read(text, as: .ini))
            let found = StoredSessionReader(store, fingerprinter: StoreSample.fingerprinter)
                .sessions(
                    in: document,
                    at: files.sessions,
                    file: "/home/a/.npmrc",
                    modified: StoreSample.now
                )
            #expect(found.sessions.count == 500)
            #expect(found.isCut == isCut)
            let file = StoreScan.File(
                path: "/home/a/.npmrc",
                store: "npm",
                title: "npm",
                sessions: found.sessions,
                isCut: found.isCut
            )
            var sessions = LocalSessions()
            sessions.take(StoreScan(files: [file], date: StoreSample.now))
            #expect(sessions.crowdedPlaces == (isCut ? ["/home/a/.npmrc"] : []))
        }
    }

    @Test("what is no token, or of another format, is no session")
    func none() throws {
        #expect(try session(#"{"a": "short"}"#) == nil)
        #expect(try session(#"{"a": {"b": 1}}"#) == nil)
        #expect(try session(#"{"a": "${ACME_TOKEN}"}"#) == nil)
        #expect(try session("[]") == nil)
        #expect(StoreDocument.read(Array("{".utf8), as: .json) == nil)
        #expect(StoreDocument.read(Array("SQLite format 3".utf8), as: .sqlite) == nil)
    }
}
