import Model
import Platform
import Profiles
import TestSupport
import Testing
import UI

@testable import authtop

@Suite("The settings of notifications")
struct NotificationSettingsTests {
    private static func settings(_ text: String) throws(DialectError) -> NotificationSettings {
        try UserConfiguration(text: text, file: "config.toml").notifications
    }

    @Test("come from config.toml beside those of the screen")
    func settings() throws {
        let configuration = try UserConfiguration(
            text: """
                theme = "light"
                [[on]]
                event = "signedOut"
                run = ["notify-send", "signed out"]
                [[on]]
                event = ["sessionEndsSoon", "finding"]
                webhook = "https://hooks.example.com/T0/secret?x=1"
                profile = "acme"
                before = "10m"
                [notifications]
                terminal = "osc777"
                """,
            file: "config.toml"
        )
        #expect(configuration.screen.theme == .light)
        let settings = configuration.notifications
        #expect(settings.terminal == .osc777)
        #expect(settings.hooks.map(\.place) == ["config.toml:2", "config.toml:5"])
        #expect(settings.hooks[0].action == .run(["notify-send", "signed out"]))
        #expect(settings.hooks[0].rule == NotificationRule(events: ["signedOut"]))
        #expect(
            settings.hooks[1].rule
                == NotificationRule(
                    events: ["sessionEndsSoon", "finding"],
                    profile: "acme",
                    lead: 600
                )
        )
        guard case .post(let address) = settings.hooks[1].action else {
            Issue.record("no webhook")
            return
        }
        #expect(address.origin.description == "https://hooks.example.com")
        #expect(address.target == "/T0/secret?x=1")
    }

    @Test("tell the terminal, and run nothing, unless the file says otherwise")
    func none() throws {
        let settings = try Self.settings("")
        #expect(settings.terminal == .auto)
        #expect(settings.hooks.isEmpty)
    }

    @Test(
        "with a mistake are refused with its place, and what was expected",
        arguments: [
            ("event = \"signedout\"\nrun = [\"x\"]", ":2: on.0.event: ", "did you mean signedOut?"),
            ("event = [\"no\"]\nrun = [\"x\"]", ":2: on.0.event.0", "certainFinding"),
            ("event = []\nrun = [\"x\"]", ":2: on.0.event: ", "expected an event"),
            ("run = [\"x\"]", ":1: on.0.event: ", "missing"),
            ("event = \"finding\"", ":1: on.0: ", "expected run or webhook"),
            ("event = \"finding\"\nrun = \"x y\"", ":3: on.0.run: ", "a list of a program"),
            ("event = \"finding\"\nrun = []", ":3: on.0.run: ", "a list of a program"),
            ("event = \"finding\"\nrun = [\"\"]", ":3: on.0.run: ", "a list of a program"),
            ("event = \"finding\"\nrum = [\"x\"]", ":3: on.0.rum: ", "run"),
            (
                "event = \"finding\"\nrun = [\"x\"]\nwebhook = \"https://a/\"", ":4: on.0.webhook",
                "only one"
            ),
            ("event = \"finding\"\nwebhook = \"http://example.com/s3cr3t\"", ":3: ", "https"),
            ("event = \"finding\"\nwebhook = \"https://u:s3cr3t@example.com/\"", ":3: ", "a user"),
            ("event = \"finding\"\nwebhook = \"https://a.com/s3cr3t#x\"", ":3: ", "fragment"),
            ("event = \"finding\"\nwebhook = \"s3cr3t\"", ":3: ", "https"),
            ("event = \"finding\"\nrun = [\"x\"]\nprofile = \"\"", ":4: on.0.profile: ", "name"),
            ("event = \"finding\"\nrun = [\"x\"]\nbefore = \"5m\"", ":4: ", "sessionEndsSoon"),
            (
                "event = \"sessionEndsSoon\"\nrun = [\"x\"]\nbefore = \"soon\"", ":4: on.0.before",
                "30m"
            ),
        ]
    )
    func mistakes(table: String, place: String, message: String) {
        let error = #expect(throws: DialectError.self) {
            try Self.settings("[[on]]\n" + table)
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("config.toml" + place), "\(text)")
        #expect(text.contains(message), "\(text)")
        #expect(!text.contains("s3cr3t") || table.hasSuffix("\"s3cr3t\""), "\(text)")
    }

    @Test("are a list of tables: a single one is refused with the header that is meant")
    func single() {
        let error = #expect(throws: DialectError.self) {
            try Self.settings("theme = \"dark\"\n[on]\nevent = \"finding\"\nrun = [\"x\"]")
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("config.toml:2: on: found a table"), "\(text)")
        #expect(text.contains("each with the header [[on]]"), "\(text)")
    }

    @Test("name a way of the terminal that there is, and at most 16 tables")
    func limits() {
        let way = #expect(throws: DialectError.self) {
            try Self.settings("[notifications]\nterminal = \"osc8\"")
        }
        #expect(way?.description.contains(":2: notifications.terminal: ") == true)
        #expect(way?.description.contains("auto, osc9, osc777, osc99, bell, off") == true)
        let table = "[[on]]\nevent = \"finding\"\nrun = [\"x\"]\n"
        #expect(throws: Never.self) { try Self.settings(String(repeating: table, count: 16)) }
        let many = #expect(throws: DialectError.self) {
            try Self.settings(String(repeating: table, count: 17))
        }
        #expect(many?.description.contains("config.toml:49: on.16: ") == true)
    }

    @Test("are read without a screen, too", arguments: ["watch", "proxy"])
    func refused(command: String) async throws {
        try await withBench { bench in
            try bench.write("[[on]]\nevent = \"signedIn\"", to: "config/authtop/config.toml")
            let backend = "http://127.0.0.1:9"
            let program = try bench.authtop(
                command == "watch"
                    ? ["watch", "voltyks", "--json", "--base-url", backend]
                    : ["proxy", "--to", backend, "--port", "0", "--exec", "true"]
            )
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("config.toml:2: on.0.event: unknown event"))
        }
    }
}
