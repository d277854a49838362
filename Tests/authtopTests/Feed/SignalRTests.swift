import Foundation
import TestSupport
import Testing

@Suite(
    "A feed of SignalR",
    .programs,
    .enabled("python3-websockets is not installed") { await Program.pythonHas("websockets") }
)
struct SignalRTests {
    private static let hub = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "signalr.py").path(percentEncoded: false)

    private static let credentials = Dictionary(
        uniqueKeysWithValues: Guide.voltyks.credentials.map { name, value in
            (name.replacing("AUTHTOP_VOLTYKS_", with: "AUTHTOP_HUB_"), value)
        }
    )

    /// Watches a session whose feed is the hub, which takes the sandbox's tokens.
    private func watch(
        lifetime: String,
        at place: String = "here",
        on bench: Bench
    ) async throws -> (hub: Program, Program) {
        let hub = bench.keep(
            try Program(Program.python, ["-B", Self.hub, place], environment: bench.environment)
        )
        let port = try await eventually("its port", evidence: { hub.errors.text }) {
            hub.output.lines.first
        }
        let path = try bench.write(
            """
            extends = "voltyks"
            [feed]
            kind = "signalr"
            path = "ws://127.0.0.1:\(port)/hub"
            """,
            to: "hub.toml"
        )
        let sandbox = try await bench.sandbox("--access-ttl", lifetime)
        let watch = try bench.authtop(
            ["watch", path, "--base-url", "http://127.0.0.1:\(sandbox.port)/voltyks", "--json"],
            with: Self.credentials
        )
        return (hub, watch)
    }

    @Test(
        "is negotiated, also elsewhere, and open without a gap through twenty rotations",
        arguments: ["here", "away"]
    )
    func rotations(place: String) async throws {
        try await withBench { bench in
            let (hub, watch) = try await watch(lifetime: "6s", at: place, on: bench)
            try await eventually("twenty renewals", evidence: { watch.errors.text }) {
                try EventStream(watch.output).all("refreshSucceeded").count >= 20
            }
            let lines = hub.output.lines
            #expect(lines.filter { $0 == "open" }.count >= 20)
            // Each connection is closed by the client, once another one is open.
            let others = ["open", "ping", "close client"]
            #expect(lines.dropFirst().filter { !others.contains($0) } == [])
            try await watch.interrupt()
        }
    }

    @Test("is kept alive by pings of the client")
    func pings() async throws {
        try await withBench { bench in
            let (hub, watch) = try await watch(lifetime: "10m", on: bench)
            // The third comes after the server would have given up.
            try await eventually("three pings", evidence: { watch.errors.text }) {
                hub.output.lines.filter { $0 == "ping" }.count >= 3
            }
            #expect(hub.output.lines.dropFirst() == ["open", "ping", "ping", "ping"])
            try await watch.interrupt()
        }
    }
}
