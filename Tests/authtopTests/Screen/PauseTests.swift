import TestSupport
import Testing

/// The backend's answer to a token that has ended, seen on purpose.
@Suite("The screen: a pause", .programs)
struct PauseTests {
    @Test("without the timer, the token is sent beyond its end, and its 401 renews")
    func timer() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 20s --every 500ms")
            try await terminal.see("● open")
            try await terminal.press("Space")
            try await terminal.see("‖ paused: renews only on r or a 401", "Space stop")
            try await terminal.see("a request that is refused and renews") { screen in
                screen.contains { $0.contains(" 401 ") && $0.contains("issued") }
            }
            try await terminal.see("‖ paused")
        }
    }

    @Test("without any renewal, 401s come and are shown, and r renews")
    func altogether() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 20s --every 500ms")
            try await terminal.see("● open")
            try await terminal.press("Space", "Space")
            try await terminal.see("‖ no renewal: 401s are shown, only r renews", "Space resume")
            let screen = try await terminal.see(
                "access token expired, still sent",
                " 401 ",
                "refused: \"Invalid or expired token\"",
                "not renewed: 401s are shown"
            )
            #expect(!screen.contains { $0.contains("offline") || $0.contains("renews at") })
            #expect(!screen.contains { $0.contains("POST /auth/refresh") })
            try await terminal.press("r")
            try await terminal.see("generation 2", "● fresh", "‖ no renewal")
            try await terminal.press("Space")
            try await terminal.see("● fresh · renews in", "Space pause")
        }
    }

    @Test("the lines say how much is paused, and what the backend said meanwhile")
    func lines() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter(
                "authtop demo --access-ttl 20s --every 500ms --log '\(bench.home)/log'"
            )
            try await terminal.see("● open")
            try await terminal.press("Space", "Space")
            try await terminal.see(" 401 ")
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            try await terminal.enter("grep -o '\"kind\":\"paused\".*' log")
            try await terminal.see(#""stops":"timer""#, #""stops":"all""#)
        }
    }
}
