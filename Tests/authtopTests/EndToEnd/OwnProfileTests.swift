import FoundationEssentials
import TestSupport
import Testing

@Suite("A profile of one's own", .programs)
struct OwnProfileTests {
    @Test(
        "what `profiles show` prints can be watched under another name",
        arguments: Guide.allCases
    )
    func copied(guide: Guide) async throws {
        try await withBench { bench in
            let text = try await shown(guide, on: bench)
            try bench.write(text, to: "config/authtop/profiles/mine.toml")
            let list = try bench.authtop(["profiles"])
            #expect(try await list.ended() == .exit(0))
            let names = list.output.lines.compactMap { $0.split(separator: " ").first }
            let builtIn = Guide.allCases.map { Substring($0.rawValue) } + ["oauth2"]
            let providers: [Substring] = [
                "auth0", "authentik", "better-auth", "clerk", "cognito", "discord", "entra",
                "firebase", "github", "gitlab", "google", "keycloak", "logto", "okta", "ory",
                "slack", "spotify", "supabase", "workos", "zitadel",
            ]
            #expect(Set(names) == Set(builtIn + providers + ["mine"]))

            let sandbox = try await bench.sandbox()
            let watch = try bench.authtop(
                [
                    "watch", "mine", "--base-url",
                    "http://127.0.0.1:\(sandbox.port)/\(guide.rawValue)", "--json",
                ],
                with: guide.credentials
            )
            let stream = EventStream(watch.output)
            try await stream.state("fresh")
            try await watch.interrupt()
            #expect(try stream.all("tokensIssued").count == 1)
        }
    }

    @Test("a mistake in it is told with file, line and what was expected, before anything is sent")
    func mistake() async throws {
        try await withBench { bench in
            let text = try await shown(.voltyks, on: bench)
            let wrong = text.replacing(#"token_in = "bearer""#, with: #"token_in = "bearers""#)
            let line = wrong.split(separator: "\n", omittingEmptySubsequences: false)
                .firstIndex { $0.contains("bearers") }
            let path = try bench.write(wrong, to: "wrong.toml")
            let number = try #require(line) + 1
            let watch = try bench.authtop(
                ["watch", path, "--base-url", "http://127.0.0.1:1", "--json"],
                with: Guide.voltyks.credentials
            )
            #expect(try await watch.ended() == .exit(2))
            #expect(watch.output.lines == [])
            #expect(watch.errors.lines.count == 1)
            for part in ["\(path):\(number)", "token_in", "bearers"] {
                #expect(watch.errors.text.contains(part))
            }
        }
    }

    private func shown(_ guide: Guide, on bench: Bench) async throws -> String {
        let program = try bench.authtop(["profiles", "show", guide.rawValue])
        #expect(try await program.ended() == .exit(0))
        return program.output.text
    }
}
