import FoundationEssentials
import Testing

@Suite("A credential's command", .programs)
struct CredentialCommandTests {
    @Test("its first line is the credential; a variable and a file come before it")
    func firstLine() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            try bench.write(
                profile(
                    sandbox,
                    #"["/bin/sh", "-c", "touch $HOME/asked; printf 'password\\r\\nuser: x\\n'"]"#
                ),
                to: "config/authtop/profiles/mine.toml"
            )
            let arguments = ["watch", "mine", "--json", "--for", "1s"]
            let first = try bench.authtop(arguments)
            #expect(try await first.ended() == .exit(0))
            #expect(try Story(first.output).all("tokensIssued").count == 1)
            let mark = bench.home + "/asked"
            #expect(FileManager.default.fileExists(atPath: mark))

            try FileManager.default.removeItem(atPath: mark)
            let second = try bench.authtop(arguments, with: ["AUTHTOP_MINE_PASSWORD": "password"])
            #expect(try await second.ended() == .exit(0))
            #expect(!FileManager.default.fileExists(atPath: mark))
        }
    }

    @Test(
        "that fails is named, and nothing of what it said or was given",
        arguments: [
            (#"["/bin/sh", "-c", "echo s3cr3t; echo s3cr3t >&2; exit 7"]"#, "/bin/sh ended with 7"),
            (#"["/bin/sh", "-c", "kill -9 $$ # s3cr3t"]"#, "/bin/sh was ended by signal 9"),
            (#"["no-such-program", "s3cr3t"]"#, "no-such-program was not found"),
            (#"["true", "s3cr3t"]"#, "true printed no first line"),
            (#"["/bin/sh", "-c", "yes s3cr3t"]"#, "/bin/sh printed more than 64 KiB"),
            (#"["/bin/sh", "-c", "sleep 300; echo s3cr3t"]"#, "/bin/sh took longer than 10 s"),
        ]
    )
    func failure(command: String, words: String) async throws {
        try await withBench { bench in
            try bench.write(
                "base_url = \"http://127.0.0.1:1\"\n" + lines(command),
                to: "config/authtop/profiles/mine.toml"
            )
            let watch = try bench.authtop(["watch", "mine", "--json"])
            #expect(try await watch.ended() == .exit(2))
            #expect(watch.output.lines == [])
            #expect(watch.errors.lines == ["authtop: password_command: \(words)"])
        }
    }

    @Test("may ask on the terminal, as a password manager does")
    func terminal() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            try bench.write(
                profile(
                    sandbox,
                    #"["/bin/sh", "-c", "printf PIN: >/dev/tty; read pin </dev/tty; echo $pin"]"#
                ),
                to: "config/authtop/profiles/mine.toml"
            )
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop login mine")
            try await terminal.see("PIN:")
            try await terminal.enter("password")
            try await terminal.see("mine: logged in")
            try await terminal.seePrompt(after: 0)
        }
    }

    private func profile(_ sandbox: Sandbox, _ command: String) -> String {
        "base_url = \"http://127.0.0.1:\(sandbox.port)/voltyks\"\n" + lines(command)
    }

    private func lines(_ command: String) -> String {
        """
        extends = "voltyks"
        [credentials]
        email_command = ["echo", "user@example.com"]
        password_command = \(command)
        """
    }
}
