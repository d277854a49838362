import TestSupport
import Testing

@Suite("The help", .programs)
struct HelpTests {
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
}
