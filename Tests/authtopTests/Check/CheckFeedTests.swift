import TestSupport
import Testing

@Suite("authtop check: the feed", .programs)
struct CheckFeedTests {
    @Test(
        "is opened, and its sockets are looked at after a refresh and a logout",
        arguments: [Guide.bitbasel, .melchat]
    )
    func sockets(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m", "--reuse", "none")
            let check = try await bench.operation(
                "check",
                guide,
                at: sandbox.port,
                "--only",
                "reach,login,refresh,feed",
                "--exchanges",
                credentials: guide.credentials
            )
            #expect(check.ending == .exit(0), "\(check.errors.text)")
            let text = check.output.text.split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
            #expect(text.contains("the feed opens with an access token, and stays open"), "\(text)")
            #expect(text.contains("a refresh leaves the socket open"), "\(text)")
            #expect(text.contains("the feed with a malformed token: 403 before the upgrade"))
            if guide == .melchat {
                #expect(text.contains("a logout closes the socket with 4401"), "\(text)")
            }
            #expect(!text.contains("eyJ"))
            #expect(try await sandbox.report().sockets.count == 2)
        }
    }

    @Test("is left out where the profile has none")
    func noFeed() async throws {
        try await withBench { bench in
            let check = try await bench.operation(
                "check",
                .voltyks,
                at: 1,
                "--only",
                "feed",
                credentials: Guide.voltyks.credentials
            )
            #expect(check.ending == .exit(0), "\(check.errors.text)")
            #expect(check.output.text.contains("not run: the profile has no such request"))
        }
    }
}
