import FoundationEssentials
import TestSupport
import Testing

@Suite("A profile that is edited while its session is watched", .programs)
struct EditedProfileTests {
    private static func text(port: Int, lead: String, more: String = "") -> String {
        """
        extends = "voltyks"
        base_url = "http://127.0.0.1:\(port)/voltyks"
        \(more)
        [policy]
        lead = "\(lead)"
        """
    }

    private static let credentials = [
        "AUTHTOP_MINE_EMAIL": "user@example.com", "AUTHTOP_MINE_PASSWORD": "password",
    ]

    @Test("is used from then on; a mistake is told with file and line, and changes nothing")
    func edited() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let name = "config/authtop/profiles/mine.toml"
            let path = try bench.write(Self.text(port: sandbox.port, lead: "10s"), to: name)
            let watch = try bench.authtop(
                ["watch", "mine", "--json"],
                with: Self.credentials
            )
            let stream = EventStream(watch.output)
            try await stream.state("fresh")
            let first = try await stream.first("capabilities")
            try bench.write(Self.text(port: sandbox.port, lead: "soon"), to: name)
            try await eventually("the mistake", evidence: { watch.errors.text }) {
                watch.errors.text.contains("mine: not changed: \(path):5") ? true : nil
            }
            #expect(try stream.all("capabilities").count == 1)
            try bench.write(
                Self.text(port: sandbox.port, lead: "4m", more: "vault = \"memory\""),
                to: name
            )
            try await stream.first("capabilities", after: first)
            try await eventually("what waits", evidence: { watch.errors.text }) {
                watch.errors.text.contains("a change of vault needs a new start") ? true : nil
            }
            // Nothing was sent for it.
            #expect(try stream.all("tokensIssued").count == 1)
            try await watch.interrupt()
        }
    }

    @Test("shows the edit in the last row, and new keys of the configuration file too")
    func screen() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let name = "config/authtop/profiles/mine.toml"
            try bench.write(Self.text(port: sandbox.port, lead: "10s"), to: name)
            let terminal = try await bench.terminal(with: Self.credentials)
            try await terminal.enter("authtop watch mine")
            try await terminal.see("r renew")
            try bench.write(Self.text(port: sandbox.port, lead: "4m"), to: name)
            try await terminal.see("mine: the profile was edited: policy")
            try bench.write("[keys]\nrenew = \"R\"\n", to: "config/authtop/config.toml")
            try await terminal.see("config.toml was edited")
            try await terminal.press("i")
            try await terminal.press("Escape")
            try await terminal.see("R renew")
            try bench.write("[keys]\nrenew = 3\n", to: "config/authtop/config.toml")
            try await terminal.see("config.toml:2")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
        }
    }
}
