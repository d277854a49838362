import TestSupport
import Testing

@testable import authtop

@Suite("authtop proxy asks what to watch")
struct ProxyQuestionsTests {
    /// The dialog of a user who types these answers: what it ends with, and what was said.
    private static func dialog(
        _ answers: [String],
        command: String? = nil
    ) -> (choice: ProxyChoice?, said: String) {
        var rest = answers[...]
        var said: [String] = []
        let choice = withoutActuallyEscaping({ (question: String) -> String? in
            said.append(question)
            return rest.popFirst()
        }) { ask in
            withoutActuallyEscaping({ (line: String) in said.append(line) }) { say in
                let questions = ProxyQuestions(
                    ask: ask,
                    say: say,
                    isProgram: { ["npm", "my-cli", "test.sh"].contains($0) },
                    listeningPorts: [22, 3000],
                    words: ["authtop", "proxy"],
                    command: command
                )
                return try? questions.choice()
            }
        }
        return (choice, said.joined(separator: "\n"))
    }

    @Test(
        "an answer is an address, a port of this machine, or nothing of one's own",
        arguments: [
            ("https://api.example.com", "--to https://api.example.com"),
            ("api.example.com/v2", "--to https://api.example.com/v2"),
            ("3000", "--to http://127.0.0.1:3000"), (":8080", "--to http://127.0.0.1:8080"),
            ("localhost:3000", "--to http://localhost:3000"), ("", "--demo"),
        ]
    )
    func backend(answer: String, options: String) {
        let (choice, said) = Self.dialog([answer, ""])
        #expect(choice?.options.joined(separator: " ") == options)
        #expect(said.contains("The same again: authtop proxy \(options)\n"), "\(said)")
    }

    @Test(
        "a command is asked for its backend: hosts that it knows, or a variable with the address",
        arguments: [
            (["npm test", "api.example.com"], "--forward api.example.com --exec 'npm test'"),
            (
                ["my-cli", "https://api.example.com/v1, *.example.org"],
                "--forward 'api.example.com,*.example.org' --exec my-cli"
            ),
            (
                ["npm test", "API_URL=http://127.0.0.1:3000"],
                "--to http://127.0.0.1:3000 --env API_URL --exec 'npm test'"
            ),
            (["curl https://api.example.com/me", ""], "--forward api.example.com"),
            (["test.sh", "localhost"], "--forward localhost --exec test.sh"),
        ]
    )
    func command(answers: [String], options: String) {
        let (choice, said) = Self.dialog(answers + [""])
        #expect(choice != nil)
        #expect(said.contains("The same again: authtop proxy \(options)"), "\(said)")
    }

    @Test("what was understood is said back, and another answer takes its place")
    func another() {
        let (choice, said) = Self.dialog(["4000", "3000", ""])
        #expect(choice == .backend(url: "http://127.0.0.1:3000"))
        #expect(said.contains("port 4000 of this machine, where nothing listens yet"))
        #expect(said.contains("port 3000 of this machine."))
        #expect(said.contains("programs listen at 3000)"))
    }

    @Test("with a command of --exec, only its backend is asked for")
    func exec() {
        let (choice, said) = Self.dialog(["api.example.com", ""], command: "npm test")
        #expect(choice == .command("npm test", .hosts(["api.example.com"])))
        #expect(said.contains("The same again: authtop proxy --forward api.example.com\n"))
        #expect(!said.contains("What should authtop watch?"))
    }

    @Test(
        "says what is wrong with an answer, and asks again",
        arguments: [
            ("70000", "is no port"), ("nosuch", "no command that is installed"),
            ("ftp://example.com", "is not supported"),
            ("http://api.example.com", "sends tokens in clear text"),
            ("https://user:pw@example.com", "contains a user or password"),
        ]
    )
    func mistake(answer: String, message: String) {
        let (choice, said) = Self.dialog([answer, "3000", ""])
        #expect(choice == .backend(url: "http://127.0.0.1:3000"))
        #expect(said.contains(message), "\(said)")
    }

    @Test("the end of input is no answer", arguments: [[], ["3000"], ["npm test"]])
    func end(answers: [String]) {
        #expect(Self.dialog(answers).choice == nil)
    }
}

@Suite("authtop proxy without options", .programs)
struct ProxyWithoutOptionsTests {
    @Test("on a terminal, it asks, says the command line, and starts")
    func asked() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox([])
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop proxy --port 0")
            try await terminal.see("Watch:")
            try await terminal.enter("\(sandbox.port)")
            try await terminal.see(
                "The same again: authtop proxy --port 0 --to http://127.0.0.1:\(sandbox.port)"
            )
            try await terminal.press("Enter")
            try await terminal.see("waiting for the app's first request")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }

    @Test("without one, it says what it expects")
    func noTerminal() async throws {
        try await withBench { bench in
            let program = try bench.authtop(["proxy"])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("expected --to https://api.example.com, or"))
        }
    }
}
