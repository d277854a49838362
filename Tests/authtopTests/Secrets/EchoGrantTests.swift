import Foundation
import TestSupport
import Testing

/// The requests of each way to log in, and the values that are sent besides the tokens afterwards,
/// over a server that repeats them.
@Suite("What a server repeats of a login", .programs)
struct EchoGrantTests {
    struct Grant: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The lines of the profile that differ.
        let lines: String
        /// The values that the server has to have seen, by their beginnings.
        let sends: [String]
        /// The credentials that every program knows.
        var credentials = [secret]
        var needsBrowser = false
    }

    static let secret = "s3cr+t/=\\q&<of> the client"
    static let subject = "subject+/=token&of<a>w0rkload"
    static let assertion = "assertion+/=of&s0mebody<else>"
    static let password = "pä ss\"w/&<1"

    static let grants = [
        Grant(
            testDescription: "a browser's code, a signed assertion of the client, a proof",
            lines: """
                grant = "authorization_code"
                client_auth = "private_key_jwt"
                client_id = "client"
                client_assertion.key = "HOME/client.pem"
                dpop = true
                login.authorize.request = "GET /authorize"
                """,
            sends: [EchoRequest.code, "eyJ"],
            credentials: [],
            needsBrowser: true
        ),
        Grant(
            testDescription: "a device's code, an assertion that the client's secret signs",
            lines: """
                grant = "device_code"
                client_auth = "client_secret_jwt"
                client_id = "client"
                login.device.request = "POST /device"
                """,
            sends: [EchoRequest.deviceCode, "eyJ"],
            needsBrowser: true
        ),
        Grant(
            testDescription: "an exchanged token",
            lines: """
                grant = "token_exchange"
                client_auth = "body"
                client_id = "client"
                """,
            sends: [subject]
        ),
        Grant(
            testDescription: "somebody's assertion",
            lines: """
                grant = "jwt_bearer"
                client_auth = "basic"
                client_id = "client"
                """,
            sends: [assertion]
        ),
        Grant(
            testDescription: "a password, and then a value to be repeated in a header and a cookie",
            lines: """
                grant = "password"
                client_auth = "body"
                client_id = "client"
                capture.csrf = "json:csrf"
                refresh.headers = { X-CSRF = "{csrf}", Cookie = "csrf={csrf}" }
                protected.headers = { X-CSRF = "{csrf}" }
                """,
            sends: [EchoServer.captured(1)],
            credentials: [password, secret]
        ),
    ]

    private static let variables = [
        "AUTHTOP_ECHO_USERNAME": "user@example.com", "AUTHTOP_ECHO_PASSWORD": password,
        "AUTHTOP_ECHO_CLIENT_SECRET": secret, "AUTHTOP_ECHO_SUBJECT_TOKEN": subject,
        "AUTHTOP_ECHO_ASSERTION": assertion,
    ]

    @Test(
        "is in no line, no error, no log, no recording and no export, in whatever form",
        arguments: grants
    )
    func lines(grant: Grant) async throws {
        try await withBench { bench in
            let server = try await server(for: grant, on: bench)
            let log = ["--log", bench.home + "/log", "--log-level", "trace"]
            let variables = Self.variables.merging(try browser(grant, on: bench)) { $1 }
            var programs: [Program] = []
            func run(_ arguments: [String], signsIn: Bool = false) async throws -> Program {
                server.forget()
                let program = try bench.authtop(arguments, with: variables)
                programs.append(program)
                if signsIn { try await signIn(program, grant) }
                try await program.ended()
                return program
            }
            server.refuse(logins: true)
            for _ in 0..<4 {
                let refused = try await run(["login", "echo"] + Self.byHand + log, signsIn: true)
                #expect(refused.ending == .exit(1), "\(refused.errors.text)")
            }
            server.refuse()
            let trial = try await run(["profiles", "validate", "echo", "--try"])
            #expect(trial.ending == .exit(0), "\(trial.errors.text)")
            let login = try await run(
                ["login", "echo", "--json"] + Self.byHand + log,
                signsIn: true
            )
            #expect(login.ending == .exit(0), "\(login.errors.text)")
            for command in [
                ["request", "echo", "GET", "/me"], ["refresh", "echo", "--json"],
                ["status", "echo"], ["status", "echo", "--json"], ["data", "export", "echo"],
            ] {
                let program = try await run(command)
                #expect(program.ending == .exit(0), "\(command): \(program.errors.text)")
            }
            server.forget()
            let watch = try bench.authtop(
                [
                    "watch", "echo", "--json", "--every", "200ms",
                    "--record", bench.home + "/recording",
                ] + log,
                with: variables
            )
            programs.append(watch)
            let stream = EventStream(watch.output)
            let issued = try await stream.first("tokensIssued")
            let renewed = try await stream.first("the next tokens", after: issued) {
                $0.kind == "tokensIssued"
            }
            server.refuse(logins: true, refreshes: true)
            try await stream.first("a refusal", after: renewed) {
                ["refreshFailed", "refreshTokenRefused", "loginFailed"].contains($0.kind)
            }
            watch.send(SIGTERM)
            try await watch.ended()
            server.refuse()
            _ = try await run(["status", "echo", "--json"])
            _ = try await run(["logout", "echo"] + log)

            let secrets = server.secrets
            for sent in grant.sends {
                #expect(secrets.contains { $0.hasPrefix(sent) }, "\(sent) was never sent")
            }
            for program in programs {
                #expect(EchoTests.leaks(of: secrets, in: program.output.text) == [])
                #expect(EchoTests.leaks(of: secrets, in: program.errors.text) == [])
            }
            for file in ["log", "recording"] {
                let data = try #require(
                    FileManager.default.contents(atPath: "\(bench.home)/\(file)")
                )
                let text = String(decoding: data, as: UTF8.self)
                #expect(EchoTests.leaks(of: secrets, in: text) == [], "\(file)")
            }
        }
    }

    @Test("is on no screen", arguments: grants)
    func screens(grant: Grant) async throws {
        try await withBench { bench in
            let server = try await server(for: grant, on: bench)
            let terminal = try await bench.terminal(
                columns: 200,
                rows: 60,
                with: Self.variables.merging(try browser(grant, on: bench)) { $1 }
            )
            try await terminal.enter("authtop watch echo --vault memory --every 300ms")
            try await terminal.seeGeneration(atLeast: 2)
            var screens = try await terminal.lines
            for pane in ["1", "3"] {
                try await terminal.press(pane, "Enter")
                screens += try await terminal.see("Esc back")
                try await terminal.press("PageDown")
                screens += try await terminal.lines
                try await terminal.press("Escape")
                try await terminal.seeNo("Esc back")
            }
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            screens += [try await terminal.history]
            let secrets = server.secrets
            for sent in grant.sends {
                #expect(secrets.contains { $0.hasPrefix(sent) }, "\(sent) was never sent")
            }
            for screen in [screens.joined(separator: "\n"), screens.joined()] {
                #expect(EchoTests.leaks(of: secrets, in: screen) == [])
            }
        }
    }

    @Test("is in nothing that a check says", arguments: grants.filter { !$0.needsBrowser })
    func check(grant: Grant) async throws {
        try await withBench { bench in
            let server = try await server(for: grant, on: bench)
            for arguments in [["--json"], []] {
                let check = try bench.authtop(
                    ["check", "echo", "--quick", "--max-wait", "3s"] + arguments,
                    with: Self.variables
                )
                try await check.ended()
                for text in [check.output.text, check.errors.text] {
                    #expect(EchoTests.leaks(of: server.secrets, in: text) == [])
                }
                #expect(server.secrets.count > 6)
            }
        }
    }

    @Test("is in nothing that the proxy says or writes of an app that logs in so")
    func proxy() async throws {
        try await withBench { bench in
            let server = bench.keep(try EchoServer(repeating: [Self.password, Self.secret]))
            let files = ["recording", "archive.har"].map { "\(bench.home)/\($0)" }
            let proxy = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(server.port)", "--port", "0", "--json",
                "--record", files[0], "--har", files[1],
            ])
            let line = try await eventually("the proxy's address") { proxy.errors.lines.first }
            let digits = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/)?.output.1)
            let port = try #require(Int(digits))
            for request in Self.app {
                let answer = try await request.send(to: port)
                #expect(answer.status > 0)
            }
            proxy.send(SIGINT)
            try await proxy.ended()
            let secrets = server.secrets
            for sent in [Self.assertion, Self.subject, EchoRequest.code, "pr00f", "c00kie"] {
                #expect(secrets.contains { $0.hasPrefix(sent) }, "\(sent) was never sent")
            }
            #expect(proxy.output.text.contains("tokensIssued"))
            #expect(EchoTests.leaks(of: secrets, in: proxy.output.text) == [])
            #expect(EchoTests.leaks(of: secrets, in: proxy.errors.text) == [])
            for file in files {
                let data = try #require(FileManager.default.contents(atPath: file))
                let text = String(decoding: data, as: UTF8.self)
                #expect(EchoTests.leaks(of: secrets, in: text) == [], "\(file)")
            }
        }
    }

    /// The requests of an app that logs in by each grant in turn.
    private static var app: [HandMadeRequest] {
        func form(_ fields: [String: String], _ headers: [String: String] = [:]) -> HandMadeRequest
        {
            let body = fields.map { name, value in
                let text = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                return "\(name)=\(text)"
            }
            var request = HandMadeRequest(
                method: "POST",
                target: "/token",
                body: body.joined(separator: "&")
            )
            request.headers = headers
            request.headers["Content-Type"] = "application/x-www-form-urlencoded"
            return request
        }
        let client = ["client_id": "client", "client_secret": secret]
        let logins = [
            ["grant_type": "password", "username": "user", "password": password],
            [
                "grant_type": "authorization_code", "code": EchoRequest.code,
                "code_verifier": "verifier-0123456789-0123456789-0123456789",
                "redirect_uri": "http://127.0.0.1:1/callback",
            ],
            ["grant_type": "device_code", "device_code": EchoRequest.deviceCode],
            ["grant_type": "token-exchange", "subject_token": subject],
            ["grant_type": "jwt-bearer", "assertion": assertion],
        ]
        let me = HandMadeRequest(
            method: "GET",
            target: "/me",
            headers: [
                "Authorization": "Bearer none", "DPoP": "pr00f.of-p0ssession.signed-by-n0body",
                "Cookie": "session=c00kie-of/the+session=", "X-CSRF": "csrf/+=of-the-app's-session",
            ]
        )
        return logins.flatMap { fields in [form(fields.merging(client) { $1 }), me] }
    }

    private static let byHand = ["--no-browser"]

    private func server(for grant: Grant, on bench: Bench) async throws -> EchoServer {
        let server = bench.keep(try EchoServer(repeating: grant.credentials))
        try await Program.run(
            "/usr/bin/openssl",
            [
                "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                "\(bench.home)/client.pem",
            ]
        )
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: "\(bench.home)/client.pem"
        )
        try bench.write(
            """
            extends = "oauth2"
            base_url = "http://127.0.0.1:\(server.port)"
            disable = ["introspection", "userinfo"]
            login.request = "POST /token"
            refresh.request = "POST /token"
            protected.request = "GET /me"
            logout.this.request = "POST /revoke"
            \(grant.lines.replacing("HOME", with: bench.home))
            """,
            to: "config/authtop/profiles/echo.toml"
        )
        return server
    }

    /// Does what a user's browser does, where it takes one.
    private func signIn(_ program: Program, _ grant: Grant) async throws {
        guard grant.lines.contains("authorization_code") else { return }
        _ = try await HandMadeBrowser.open(try await program.signInAddress())
    }

    private func browser(_ grant: Grant, on bench: Bench) throws -> [String: String] {
        guard grant.needsBrowser else { return [:] }
        return ["BROWSER": try bench.silentBrowser()]
    }
}
