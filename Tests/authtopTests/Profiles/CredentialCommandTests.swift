import Foundation
import TestSupport
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
            let arguments = ["watch", "mine", "--json"]
            let first = try bench.authtop(arguments)
            let stream = EventStream(first.output)
            try await stream.state("fresh")
            try await first.interrupt()
            #expect(try stream.all("tokensIssued").count == 1)
            let mark = bench.home + "/asked"
            #expect(FileManager.default.fileExists(atPath: mark))

            try FileManager.default.removeItem(atPath: mark)
            let second = try bench.authtop(arguments, with: ["AUTHTOP_MINE_PASSWORD": "password"])
            try await EventStream(second.output).state("fresh")
            try await second.interrupt()
            #expect(!FileManager.default.fileExists(atPath: mark))
        }
    }

    @Test(
        "that fails is named, and nothing of what it said or was given",
        arguments: [
            (#"["/bin/sh", "-c", "echo s3cr3t; echo s3cr3t >&2; exit 7"]"#, "/bin/sh ended with 7"),
            (#"["/bin/sh", "-c", "kill -9 $$ # s3cr3t"]"#, "/bin/sh was terminated by signal 9"),
            (#"["no-such-program", "s3cr3t"]"#, "no-such-program was not found"),
            (#"["true", "s3cr3t"]"#, "true printed an empty first line"),
            (#"["/bin/sh", "-c", "yes s3cr3t"]"#, "/bin/sh printed more than 64 KiB"),
            (#"["/bin/sh", "-c", "sleep 300; echo s3cr3t"]"#, "/bin/sh took longer than 10 s"),
        ]
    )
    func failure(command: String, message: String) async throws {
        try await withBench { bench in
            try bench.write(
                "base_url = \"http://127.0.0.1:1\"\n" + lines(command),
                to: "config/authtop/profiles/mine.toml"
            )
            let watch = try bench.authtop(["watch", "mine", "--json"])
            #expect(try await watch.ended() == .exit(2))
            #expect(watch.output.lines == [])
            #expect(watch.errors.lines == ["authtop: password_command: \(message)"])
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

    @Test("ends with all that it has started when the program is ended", arguments: [2, 15, 1])
    func ended(signal: Int32) async throws {
        // It ends the program by itself, since it may take 10 s at most.
        let command =
            "sleep 300 & sh -c 'sleep 300; true' & jobs -p >$HOME/jobs; echo $$ >$HOME/group; "
            + "kill -\(signal) $PPID; wait"
        try await withBench { bench in
            try bench.write(
                "base_url = \"http://127.0.0.1:1\"\n"
                    + lines("[\"/bin/sh\", \"-c\", \"\(command)\"]"),
                to: "config/authtop/profiles/mine.toml"
            )
            let watch = try bench.authtop(["watch", "mine", "--json"])
            #expect(try await watch.ended() == .signal(signal))
            let jobs = try String(contentsOfFile: bench.home + "/jobs", encoding: .utf8)
            #expect(jobs.split(separator: "\n").count == 2)
            let group = try await group(in: bench)
            try await eventually("the end of the group") { processCount(inGroup: group) == 0 }
        }
    }

    @Test("is stopped and continued with the program, and ends with it at Ctrl-C")
    func jobControl() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let ask =
                "stty -echo </dev/tty; printf PIN: >/dev/tty; read pin </dev/tty; "
                + "stty echo </dev/tty; echo $pin"
            try bench.write(
                profile(sandbox, "[\"/bin/sh\", \"-c\", \"\(ask)\"]"),
                to: "config/authtop/profiles/mine.toml"
            )
            let terminal = try await bench.terminal()
            let settings = try terminal.settings
            try await terminal.enter("authtop login mine")
            try await terminal.see("PIN:")
            try await terminal.press("C-z")
            try await terminal.see("Stopped")
            try await terminal.see("a prompt") { screen in
                screen.last { !$0.isEmpty }?.hasSuffix("]>") == true
            }
            #expect(try terminal.settings == settings)
            try await terminal.enter("clear; fg")
            try await terminal.see("the job that goes on, and nothing else") { screen in
                let text = screen.joined()
                return text.contains("login mine") && !text.contains("Stopped")
            }
            // The terminal settings of the program are set again when it goes on.
            try await terminal.seeEchoOff()
            try await terminal.enter("password")
            try await terminal.see("mine: logged in")
            try await terminal.seePrompt(after: 0)
            #expect(try terminal.settings == settings)
            #expect(try await !terminal.history.contains("password"))

            try bench.write(
                profile(sandbox, Self.sleeping),
                to: "config/authtop/profiles/other.toml"
            )
            try await terminal.enter("clear; authtop login other")
            let group = try await group(in: bench)
            try await terminal.press("C-c")
            try await terminal.seePrompt(after: 130)
            try await eventually("the end of the group") { processCount(inGroup: group) == 0 }
            #expect(try terminal.settings == settings)
        }
    }

    /// Writes the number of its group down, and then does nothing for long.
    private static let sleeping =
        #"["/bin/sh", "-c", "sleep 300 & sh -c 'sleep 300; true' & echo $$ >$HOME/group; wait"]"#

    private func group(in bench: Bench) async throws -> Int32 {
        try await eventually("the command's start") {
            let text = try? String(contentsOfFile: bench.home + "/group", encoding: .utf8)
            return text.flatMap { $0.hasSuffix("\n") ? Int32($0.dropLast()) : nil }
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
