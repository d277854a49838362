import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("A mistake", .programs)
struct MistakeTests {
    @Test("is told in one line, before anything is sent", arguments: Mistake.all)
    func oneLine(mistake: Mistake) async throws {
        try await withBench { bench in
            let program = try bench.authtop(mistake.arguments, with: mistake.variables)
            #expect(try await program.ended() == .exit(mistake.exit))
            #expect(program.output.lines == [])
            #expect(program.errors.lines.count == 1)
            #expect(program.errors.text.hasPrefix("authtop: "))
            for part in mistake.says { #expect(program.errors.text.contains(part)) }
        }
    }

    @Test(
        "in an option is told in the first line, how it is used after that",
        arguments: Mistake.parsed
    )
    func option(mistake: Mistake) async throws {
        try await withBench { bench in
            let program = try bench.authtop(mistake.arguments)
            #expect(try await program.ended() == .exit(mistake.exit))
            #expect(program.output.lines == [])
            let first = try #require(program.errors.lines.first)
            #expect(first.hasPrefix("Error: "))
            for part in mistake.says { #expect(first.contains(part)) }
        }
    }

    @Test("a backend that is not there is said to be unreachable")
    func refusedConnection() async throws {
        try await withBench { bench in
            let socket = try LoopbackSocket.bind()
            defer { close(socket) }
            let port = LoopbackSocket.port(of: socket)
            let watch = try bench.watch(.voltyks, at: port)
            #expect(try await watch.program.ended() == .exit(3))
            #expect(watch.program.errors.lines.count == 1)
            #expect(watch.program.errors.text.contains("connection refused by 127.0.0.1:\(port)"))
            let failed = try #require(try watch.stream.all("loginFailed").first)
            #expect(failed.text("class") == "notSent")
        }
    }

    @Test("a port in use is named")
    func portInUse() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let second = try bench.authtop(["sandbox", "--port", "\(sandbox.port)"])
            #expect(try await second.ended() == .exit(2))
            #expect(second.output.lines == [])
            #expect(second.errors.lines.count == 1)
            #expect(second.errors.text.contains("port \(sandbox.port)"))
        }
    }

    @Test("wrong credentials are refused in the backend's words", arguments: Guide.allCases)
    func wrongCredentials(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let wrong = guide.credentials.mapValues { _ in "wrong-and-not-to-be-shown" }
            let watch = try bench.watch(guide, at: sandbox.port, credentials: wrong)
            #expect(try await watch.program.ended() == .exit(1))
            #expect(watch.program.errors.lines.count == 1)
            let failed = try #require(try watch.stream.all("loginFailed").first)
            #expect(failed.text("class") == "refused")
            #expect(failed.status == 401)
            let message = try #require(failed.text("message"))
            #expect(watch.program.errors.text.contains(message))
            #expect(!watch.program.errors.text.contains("not-to-be-shown"))
            #expect(!watch.program.output.text.contains("not-to-be-shown"))
            #expect(try await sandbox.report().counters(of: guide)?.loginsRejected == 1)
        }
    }

    @Test("a renewal without the client's id names that, and not what only a login needs")
    func clientID() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            try bench.write(
                "extends = \"oauth2\"\nbase_url = \"http://127.0.0.1:\(sandbox.port)/oauth2\"\n",
                to: "config/authtop/profiles/mine.toml"
            )
            let login = try bench.authtop(
                ["login", "mine"],
                with: [
                    "AUTHTOP_MINE_USERNAME": "sandbox", "AUTHTOP_MINE_PASSWORD": "password",
                    "AUTHTOP_MINE_CLIENT_ID": "sandbox", "AUTHTOP_MINE_CLIENT_SECRET": "secret",
                ]
            )
            #expect(try await login.ended() == .exit(0), "\(login.errors.text)")
            let refresh = try bench.authtop(["refresh", "mine"])
            #expect(try await refresh.ended() != .exit(0))
            let text = refresh.errors.text
            #expect(text.contains("AUTHTOP_MINE_CLIENT_ID"), "\(text)")
            #expect(!text.contains("USERNAME"), "\(text)")
        }
    }

    @Test("a file of credentials that others can read is not read")
    func readableCredentials() async throws {
        try await withBench { bench in
            let path = bench.home + "/credentials"
            try Data("email = user@example.com\npassword = password\n".utf8)
                .write(to: URL(filePath: path))
            let arguments = [
                "watch", "voltyks", "--base-url", "http://127.0.0.1:1", "--credentials", path,
            ]
            chmod(path, 0o644)
            let open = try bench.authtop(arguments)
            #expect(try await open.ended() == .exit(2))
            #expect(open.errors.lines.count == 1)
            #expect(open.errors.text.contains("chmod 600 \(path)"))
            chmod(path, 0o600)
            let closed = try bench.authtop(arguments)
            #expect(try await closed.ended() == .exit(3))
        }
    }
}
