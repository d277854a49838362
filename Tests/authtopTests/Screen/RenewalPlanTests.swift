import TestSupport
import Testing

/// A backend whose refresh token no renewal moves on, and whose access tokens live much longer.
@Suite("The screen and the lines: when the pair is renewed", .programs)
struct RenewalPlanTests {
    @Test("the screen says what the timer is set for, and then that nothing can renew the pair")
    func screen() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --access-ttl 1h --refresh-ttl 40s --every 1h")
            try await terminal.see("● fresh · renews in", "as the refresh token ends")
            let first = try await terminal.see("┃ renews at")
            #expect(!first.contains { $0.contains("left to retry") })
            try await terminal.see("generation 2")
            let later = try await terminal.see(
                "● fresh · cannot be renewed",
                "lasts 5",
                "cannot be renewed · lasts until"
            )
            #expect(!later.contains { $0.contains("renews at") || $0.contains("renews in") })
        }
    }

    @Test("the lines say at which instant, and the renewal keeps to it")
    func lines() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "1h", "--refresh-ttl", "20s")
            let watch = try bench.watch(.bitbasel, at: sandbox.port)
            let planned = try await watch.stream.first("renewalPlanned")
            #expect(planned.text("plan") == "scheduled")
            #expect(planned.text("cause") == "lastUseOfRefreshToken")
            let renewsAt = try #require(planned.text("renewsAt"))
            let underWay = try await watch.stream.first("renewalPlanned", after: planned)
            #expect(underWay.text("plan") == "underWay")
            #expect(underWay.at >= renewsAt)
            let last = try await watch.stream.first("renewalPlanned", after: underWay)
            #expect(last.text("cause") == "refreshTokenOver")
        }
    }

    @Test("status says the same of a stored session")
    func status() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "1h")
            _ = try await bench.logIn(.bitbasel, at: sandbox.port)
            let json = try await bench.operation("status", .bitbasel, at: sandbox.port, "--json")
            let object = try JSON.object(in: json.output.text)
            #expect(object["renewal"]?.text == "scheduled")
            let due = try #require(object["secondsToRefreshAt"]?.number)
            let end = try #require(object["secondsToRefreshExpiry"]?.number)
            #expect(due <= end)
            let text = try await bench.operation("status", .bitbasel, at: sandbox.port)
            #expect(text.output.text.contains("as the refresh token ends"))
        }
    }

    @Test("while a session drains, no renewal is announced, and its refresh token is told refused")
    func draining() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            relay.prepare(.answered(Answers.unauthorized), for: Guide.creatist.refreshPath)
            let terminal = try await bench.watchOnScreen(
                .creatist,
                at: relay.port,
                "--every",
                "1h",
                "--vault",
                "file"
            )
            try await terminal.see("● open")
            try await terminal.press("r")
            let screen = try await terminal.see("▼ session ends", "cannot be renewed · lasts until")
            #expect(!screen.contains { $0.contains("renews") })
            #expect(screen.contains { $0.contains("refused") && $0.contains("refresh") })
            let text = try await bench.operation("status", .creatist, at: relay.port)
            #expect(text.output.text.contains("refused: erased here, never sent again"))
            #expect(!text.output.text.contains("no refresh token"))
            let json = try await bench.operation("status", .creatist, at: relay.port, "--json")
            #expect(json.output.text.contains(#""refreshProblem":"refused""#))
        }
    }
}
