import TestSupport
import Testing

@Suite("A backend of several hosts", .programs)
struct HostTests {
    @Test(
        "tokens come from one host, data and feed from another, and each gets only what is its own"
    )
    func twoHosts() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s")
            let identity = try bench.relay(to: sandbox)
            let api = try bench.relay(to: sandbox)
            try bench.write(
                """
                extends = "bitbasel"
                base_url = "http://127.0.0.1:\(identity.port)/bitbasel"
                vault = "memory"
                protected.request = "GET http://127.0.0.1:\(api.port)/bitbasel/posts/feed"
                feed.path = "ws://127.0.0.1:\(api.port)/bitbasel/ws/feed"
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let watch = try bench.authtop(
                ["watch", "mine", "--json", "--every", "1s"],
                with: ["AUTHTOP_MINE_IDENTITY_TOKEN": "sandbox"]
            )
            let stream = EventStream(watch.output)
            try await stream.state("fresh")
            let renewal = try await stream.first("refreshSucceeded")
            let opened = try await stream.first("feedOpened", after: renewal)
            _ = try await stream.first("request", after: opened)
            try await watch.interrupt()
            #expect(!api.requests.isEmpty && !identity.requests.isEmpty)
            #expect(api.requests.allSatisfy { !$0.path.contains("/auth/") })
            // The sandbox at the base URL is also asked for its faults.
            #expect(
                identity.requests.allSatisfy {
                    $0.path.contains("/auth/") || $0.path.contains("/__sandbox/")
                }
            )
            let dials = try stream.all("feedDialing").compactMap { $0.text("url") }
            #expect(!dials.isEmpty)
            #expect(dials.allSatisfy { $0.hasPrefix("ws://127.0.0.1:\(api.port)/") })
        }
    }

    @Test(
        "a host that cannot be one, or gets tokens in clear text, is named with its exchange",
        arguments: [
            (
                "http://api.example.com",
                "http://api.example.com sends tokens in clear text: use https, or --allow-insecure "
                    + "to permit it"
            ),
            (
                "https://api.example.com:99999",
                "99999 is not a port: use a number from 1 to 65535"
            ),
        ]
    )
    func mistake(origin: String, message: String) async throws {
        try await withBench { bench in
            try bench.write(
                """
                extends = "bitbasel"
                base_url = "https://login.example.com"
                protected.request = "GET \(origin)/posts"
                """,
                to: "config/authtop/profiles/mine.toml"
            )
            let watch = try bench.authtop(
                ["watch", "mine", "--json"],
                with: ["AUTHTOP_MINE_IDENTITY_TOKEN": "sandbox"]
            )
            #expect(try await watch.ended() == .exit(2))
            #expect(
                watch.errors.lines.joined(separator: " ").contains(
                    "mine.toml: protected: \(message)"
                )
            )
        }
    }
}
