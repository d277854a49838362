import TestSupport
import Testing

@Suite("Defaults of the screen", .programs)
struct ScreenDefaultsTests {
    private static let frame = ["demo", "--print-frame", "120x40", "--for", "2s"]

    @Test("come from config.toml: theme, characters, keys")
    func defaults() async throws {
        try await withBench { bench in
            try bench.write(
                """
                ascii = true
                bell = true
                mouse = false
                clock = "utc"
                [keys]
                renew = "R"
                send = ["r", "F5"]
                """,
                to: "config/authtop/config.toml"
            )
            let program = try bench.authtop(Self.frame)
            #expect(try await program.ended() == .exit(0))
            let text = program.output.text
            #expect(text.utf8.allSatisfy { $0 < 127 })
            #expect(text.contains(" R renew  r send"))
        }
    }

    @Test("have themes of one's own, by a file, the configuration and an option")
    func themes() async throws {
        try await withBench { bench in
            try bench.write(
                "ground = \"light\"\n[styles]\nkey = \"#123456\"",
                to: "config/authtop/themes/mine.toml"
            )
            for options in [["--theme", "mine"], []] {
                if options.isEmpty {
                    try bench.write("theme = \"mine\"", to: "config/authtop/config.toml")
                }
                let program = try bench.authtop(Self.frame + ["--frame-format", "svg"] + options)
                #expect(try await program.ended() == .exit(0), "\(program.errors.text)")
                #expect(program.output.text.contains("#123456"))
                #expect(program.output.text.contains("#ffffff"))
            }
            let unknown = try bench.authtop(Self.frame + ["--theme", "pink"])
            #expect(try await unknown.ended() == .exit(2))
            #expect(unknown.errors.text.contains("expected one of dark, light, plain, mine"))
            try bench.write("[styles]\nkeys = 1", to: "config/authtop/themes/other.toml")
            let mistaken = try bench.authtop(Self.frame)
            #expect(try await mistaken.ended() == .exit(2))
            #expect(mistaken.errors.text.contains("themes/other.toml:2: styles.keys"))
        }
    }

    @Test("give way to the options")
    func options() async throws {
        try await withBench { bench in
            try bench.write("theme = \"dark\"", to: "config/authtop/config.toml")
            let program = try bench.authtop(Self.frame + ["--frame-format", "svg", "--light"])
            #expect(try await program.ended() == .exit(0))
            #expect(program.output.text.contains("#ffffff"))
        }
    }

    @Test(
        "with a mistake are refused with its place, and what was expected",
        arguments: [
            ("theme = \"pink\"", "config.toml:1: theme", "one of dark, light, plain"),
            ("\nascii = 1", "config.toml:2: ascii", "true or false"),
            ("them = \"dark\"", "config.toml:1: them", "did you mean theme?"),
            ("[keys]\nrenew = \"\"", "config.toml:2: keys.renew", "the name of a key"),
            ("[keys]\nrenew = \"F99\"", "config.toml:2: keys.renew", "F1 to F12"),
            ("[keys]\nrenew = \"Ctrl-1\"", "config.toml:2: keys.renew", "the name of a key"),
            ("[keys]\nrenew = []", "config.toml:2: keys.renew", "a key, or a list of keys"),
            ("[keys]\nrenew = \"p\"", "config.toml:2: keys.renew", "p is taken by send"),
            ("[keys]\nrenew = \"Esc\"", "config.toml:2: keys.renew", "Esc cannot have another"),
            ("[keys]\nreneww = \"R\"", "config.toml:2: keys.reneww", "did you mean renew?"),
            ("keys = 1", "config.toml:1: keys", "a table"),
            ("theme = ", "config.toml:1", "not TOML"),
        ]
    )
    func mistakes(text: String, place: String, message: String) async throws {
        try await withBench { bench in
            try bench.write(text, to: "config/authtop/config.toml")
            let program = try bench.authtop(Self.frame)
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains(place), "\(program.errors.text)")
            #expect(program.errors.text.contains(message), "\(program.errors.text)")
            #expect(program.output.lines.isEmpty)
        }
    }
}
