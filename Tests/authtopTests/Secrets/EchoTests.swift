import Foundation
import TestSupport
import Testing

@Suite("What a server repeats", .programs)
struct EchoTests {
    /// Long and short, with blanks, quotes, and characters that each escape takes care of.
    static let password = "pä ss\"w/&<1"
    static let secret = "s3cr+t/=\\q"
    static let code = "918273"
    static let key = "k3y-Of/the+File"

    private static let profile = """
        title = "Echo"
        policy.another_user = "use"
        error_message = "message"
        [login]
        request = "POST /login"
        credentials = ["email", "password", "client_secret", "code"]
        headers = { X-Api-Key = "k3y-Of/the+File" }
        fields = { email = "{email}", p = "{password}", s = "{client_secret}", c = "{code}" }
        [login.response]
        access = "access"
        refresh = "refresh"
        access_expires = "seconds:expires"
        subject = "id"
        display_name = "name"
        [refresh]
        request = "POST /refresh"
        token_in = "json:refresh"
        [refresh.response]
        access = "access"
        refresh = "refresh"
        access_expires = "seconds:expires"
        subject = "id"
        display_name = "name"
        [[refresh.terminal]]
        status = 401
        [protected]
        request = "GET /me"
        [logout.this]
        request = "POST /logout"
        refresh_in = "json:refresh"
        [sessions]
        request = "GET /sessions"
        list = "sessions"
        id = "id"
        name = "name"
        [feed]
        path = "/feed"
        token_in = "query:token"
        id = "id"
        type = "type"
        since = "since"
        switch = "restart"
        """

    private static let variables = [
        "AUTHTOP_ECHO_EMAIL": "user@example.com", "AUTHTOP_ECHO_PASSWORD": password,
        "AUTHTOP_ECHO_CLIENT_SECRET": secret, "AUTHTOP_ECHO_CODE": code,
    ]

    private func server(in bench: Bench) throws -> EchoServer {
        let server = bench.keep(
            try EchoServer(repeating: [Self.password, Self.secret, Self.code, Self.key])
        )
        let base = "base_url = \"http://127.0.0.1:\(server.port)\"\n"
        try bench.write(base + Self.profile, to: "config/authtop/profiles/echo.toml")
        return server
    }

    @Test("would be found if it were shown, in whatever form")
    func found() {
        for secret in [Self.password, Self.secret, Self.code, Self.key, EchoServer.refresh(3)] {
            for form in EchoForms.all(of: secret) {
                #expect(!Self.leaks(of: [secret], in: "so: \(form)!").isEmpty, "\(form)")
            }
        }
        #expect(Self.leaks(of: [Self.password, Self.secret, Self.code], in: "nothing") == [])
    }

    @Test("is in no line, no error, no log and no export, in whatever form")
    func lines() async throws {
        try await withBench { bench in
            let server = try server(in: bench)
            let log = ["--log", bench.home + "/log", "--log-level", "trace"]
            var programs: [Program] = []
            func run(_ arguments: [String], logs: Bool = true) async throws -> Program {
                server.forget()
                let program = try bench.authtop(
                    arguments + (logs ? log : []),
                    with: Self.variables
                )
                programs.append(program)
                try await program.ended()
                return program
            }
            server.refuse(logins: true)
            for _ in 0..<30 {
                let refused = try await run(["login", "echo"])
                #expect(refused.ending == .exit(1), "\(refused.errors.text)")
            }
            server.refuse()
            #expect(try await run(["login", "echo"]).ending == .exit(0))
            _ = try await run(["sessions", "echo"], logs: false)
            let list = try await run(["sessions", "echo", "--json"], logs: false)
            #expect(list.output.lines.count > 50)
            let hidden = try list.output.lines.compactMap { try JSON.object(in: $0)["id"]?.text }
                .first { $0.contains("‹") && !$0.contains("‹withheld›") }
            #expect(hidden != nil)
            _ = try await run(["status", "echo"], logs: false)
            _ = try await run(["status", "echo", "--json"], logs: false)
            _ = try await run(["data", "export", "echo"], logs: false)
            #expect(try await run(["refresh", "echo"]).ending == .exit(0))

            server.forget()
            let watch = try bench.authtop(
                ["watch", "echo", "--json", "--every", "200ms"] + log,
                with: Self.variables
            )
            programs.append(watch)
            let stream = EventStream(watch.output)
            let closed = try await stream.first("feedClosed")
            let again = try await stream.first("feedClosed", after: closed)
            try await stream.first("refreshSucceeded", after: again)
            #expect(try stream.all("feedMessage").count > 100)
            server.refuse(refreshes: true)
            try await stream.first("refreshFailed", after: again)
            watch.send(SIGTERM)
            try await watch.ended()
            server.refuse()
            _ = try await run(["status", "echo", "--json"], logs: false)
            _ = try await run(["data", "export", "echo"], logs: false)
            _ = try await run(["login", "echo"])
            #expect(try await run(["logout", "echo"]).ending == .exit(0))

            let secrets = server.secrets
            #expect(secrets.count >= 10)
            for program in programs {
                #expect(Self.leaks(of: secrets, in: program.output.text) == [])
                #expect(Self.leaks(of: secrets, in: program.errors.text) == [])
            }
            let data = try #require(FileManager.default.contents(atPath: bench.home + "/log"))
            #expect(Self.leaks(of: secrets, in: String(decoding: data, as: UTF8.self)) == [])
        }
    }

    @Test("is on no screen, whatever pane or overlay is open")
    func screens() async throws {
        try await withBench { bench in
            let server = try server(in: bench)
            let terminal = try await bench.terminal(
                columns: 200,
                rows: 60,
                with: Self.variables
            )
            try await terminal.enter("authtop watch echo --vault memory")
            try await terminal.seeGeneration(atLeast: 2)
            try await terminal.press("p")
            var screens = try await terminal.lines
            for pane in ["1", "2", "3", "4"] {
                try await terminal.press(pane, "Enter")
                screens += try await terminal.see("Esc back")
                try await terminal.press("PageDown")
                screens += try await terminal.lines
                try await terminal.press("Escape")
                try await terminal.seeNo("Esc back")
            }
            try await terminal.press("S")
            screens += try await terminal.see("Active sessions")
            try await terminal.press("Escape")
            // A key that comes together with it would be another one.
            try await terminal.seeNo("Active sessions")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            screens += [try await terminal.history]

            let secrets = server.secrets
            #expect(secrets.count >= 6)
            #expect(screens.joined().contains("‹password›"))
            for screen in [screens.joined(separator: "\n"), screens.joined()] {
                #expect(Self.leaks(of: secrets, in: screen) == [])
            }
        }
    }

    static func leaks(of secrets: [String], in text: String) -> [String] {
        secrets.flatMap(EchoForms.needles).filter(text.contains)
    }
}
