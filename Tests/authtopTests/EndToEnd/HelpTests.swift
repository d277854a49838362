import Foundation
import TestSupport
import Testing

@Suite("The help", .programs)
struct HelpTests {
    @Test("of every command fits 80 columns, and begins with the command's own options")
    func layout() async throws {
        try await withBench { bench in
            let dumped = try bench.authtop(["--experimental-dump-help"])
            #expect(try await dumped.ended() == .exit(0))
            let dump = try JSONDecoder().decode(
                CommandDump.self,
                from: Data(dumped.output.text.utf8)
            )
            for words in Self.commands(of: dump.command) {
                let program = try bench.authtop(words + ["--help"])
                #expect(try await program.ended() == .exit(0))
                let lines = program.output.text.split(separator: "\n")
                for line in lines { #expect(line.count <= 80, "\(words): \(line)") }
                let headings = lines.filter { $0.last == ":" && $0 == $0.uppercased() }
                #expect(headings.first { $0 != "ARGUMENTS:" } == "OPTIONS:", "\(words)")
            }
        }
    }

    @Test("of a rule is broken at blanks on a terminal, and is whole for a program")
    func explained() async throws {
        try await withBench { bench in
            let program = try bench.authtop(["proxy", "explain", "race"])
            #expect(try await program.ended() == .exit(0))
            let paragraphs = program.output.text.split(separator: "\n")
            #expect(paragraphs.contains { $0.count > 60 })
            let terminal = try await bench.terminal(columns: 60, rows: 40)
            try await terminal.enter("authtop proxy explain race")
            try await terminal.see("race (bug)")
            let lines = try await terminal.seePrompt(after: 0)
            let words = Set(lines.flatMap { $0.split(separator: " ") })
            for paragraph in paragraphs {
                for word in paragraph.split(separator: " ") where word.count < 60 {
                    #expect(words.contains(word), "\(lines)")
                }
            }
        }
    }

    @Test(
        "a word that is nearly a command is named, with the command that is meant",
        arguments: [
            ("proxi", "did you mean proxy?"), ("explain", "did you mean proxy explain?"),
            ("validate", "did you mean profiles validate?"),
            ("proxy exlain", "did you mean proxy explain?"),
            ("help proxxy", "did you mean proxy?"),
            ("help profiles shwo", "did you mean profiles show?"),
        ]
    )
    func mistypedCommand(line: String, says: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(line.split(separator: " ").map(String.init))
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(says), "\(program.errors.text)")
            #expect(program.output.text.isEmpty)
        }
    }

    @Test(
        "an unknown option is named, whatever else is missing",
        arguments: [("--versoin", "'--versoin'"), ("proxy --too x", "Did you mean '--to'?")]
    )
    func mistypedOption(line: String, says: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop(line.split(separator: " ").map(String.init))
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(says), "\(program.errors.text)")
        }
    }

    private static func commands(of command: CommandDump.Command) -> [[String]] {
        [[]]
            + command.shownSubcommands.flatMap { inner in
                commands(of: inner).map { [inner.commandName] + $0 }
            }
    }
}
