import TestSupport
import Testing

@Suite("The screen: experiments with a backend", .programs)
struct ExperimentTests {
    @Test(
        "what the replay of a replaced refresh token shows is what the backend's policy is",
        arguments: [
            ("none", "accepted: it brought other tokens"),
            ("strict", "refused, and the session lives on"),
            ("strict-revoke", "refused, and the session is revoked: this experiment ended it"),
            ("grace", "accepted: it brought the tokens in use again"),
            ("grace-forks", "accepted: it brought other tokens"),
            // The new pair has been used, which ends the old one.
            ("old-lives", "refused, and the session lives on"),
        ]
    )
    func replay(policy: String, verdict: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "300s", "--reuse", policy)
            let terminal = try await bench.watchOnScreen(.voltyks, at: sandbox.port)
            try await terminal.see("● fresh")
            try await terminal.press("r")
            try await terminal.seeGeneration(atLeast: 2)
            try await terminal.press("p")
            try await terminal.see("a request with the new token") { screen in
                screen.contains { line in ["GET ", " 200 ", " gen 2 "].allSatisfy(line.contains) }
            }
            try await terminal.press("E")
            try await terminal.see("Experiments with the backend")
            try await terminal.press("j", "j")
            try await terminal.see("▸ replay the replaced refresh token")
            try await terminal.press("Enter")
            try await terminal.see("showed", verdict)
            try await terminal.press("Escape")
            guard policy == "strict-revoke" else { return }
            try await terminal.see("an experiment replayed a refresh token")
        }
    }

    @Test(
        "two refreshes at once, and a lost answer, show what the backend's policy is",
        arguments: [
            (
                "strict", "one accepted, one refused, and the session lives on",
                "refused the second time: an app would be signed out"
            ),
            ("strict-revoke", "one accepted, one refused, and the session is revoked", ""),
            (
                "grace", "both accepted, with the same refresh token",
                "accepted again, with the tokens that were lost"
            ),
            ("grace-forks", "both accepted, with different tokens", "accepted again, with other"),
        ]
    )
    func secondUse(policy: String, twice: String, lost: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "300s", "--reuse", policy)
            let terminal = try await bench.watchOnScreen(.voltyks, at: sandbox.port)
            try await terminal.see("● fresh")
            try await terminal.press("E", "j", "j", "j")
            try await terminal.see("▸ two refreshes at once", "strict-revoke: the session is lost")
            try await terminal.press("Enter")
            try await terminal.see("showed", twice)
            guard !lost.isEmpty else {
                try await terminal.press("Escape")
                try await terminal.see("an experiment replayed a refresh token")
                return
            }
            try await terminal.press("j")
            try await terminal.see("▸ lose the answer of a refresh")
            try await terminal.press("Enter")
            try await terminal.see("showed", lost)
            try await terminal.press("Escape")
            try await terminal.see("● fresh", "experiment: lose the answer of a refresh")
        }
    }

    @Test("a shifted clock is in the header, the skew is found, and the session goes on")
    func clock() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 10m --every 500ms")
            try await terminal.see("● fresh", " 200 ")
            try await terminal.press("E", "Right", "Right")
            try await terminal.see("▸ shift authtop's clock", "+5 m", "the server's clock −")
            try await terminal.press("Escape")
            try await terminal.see(
                "clock +5 m",
                "against ours",
                "authtop's clock is shifted by +5 m"
            )
            try await terminal.press("r")
            try await terminal.seeGeneration(atLeast: 2)
            try await terminal.see("● fresh", "10 m")
            try await terminal.press("E", "G", "Enter")
            try await terminal.press("Escape")
            try await terminal.seeNo("clock +5 m")
            try await terminal.see("authtop's clock is right again")
        }
    }

    @Test("a corrupted access token is refused, and the session is as before")
    func corrupted() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "300s")
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● fresh")
            try await terminal.press("E", "j")
            try await terminal.see("▸ send a corrupted access token")
            try await terminal.press("Enter")
            try await terminal.see("refused (401): the backend verifies access tokens")
            try await terminal.press("Escape")
            try await terminal.see("● fresh", "generation 1")
        }
    }

    @Test("a feed that is cut is open again, and the screen says what was missed")
    func cutFeed() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "300s", "--feed-rate", "5")
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● fresh", "● open")
            try await terminal.press("E", "G", "k")
            try await terminal.see("▸ cut the feed")
            try await terminal.press("Enter")
            try await terminal.see("showed", "open again after")
        }
    }

    @Test("--readonly has none")
    func readOnly() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --readonly")
            try await terminal.see("● fresh")
            try await terminal.press("E")
            try await terminal.see("--readonly: keys only watch")
        }
    }
}
