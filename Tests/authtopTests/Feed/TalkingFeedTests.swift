import TestSupport
import Testing

@Suite("A feed that talks", .programs)
struct TalkingFeedTests {
    @Test(
        "follows each renewal, told to the open socket where its protocol can, and shows no token",
        arguments: [
            ("kind = \"graphql-transport-ws\"\npath = \"/graphql\"\n" + subscription, false),
            ("kind = \"home-assistant\"", false),
            ("kind = \"phoenix\"\nvalues.topic = \"room:lobby\"", true),
        ]
    )
    func followed(lines: String, isTold: Bool) async throws {
        try await withBench { bench in
            let path = try bench.write(
                "extends = \"voltyks\"\n[feed]\n\(lines)\n",
                to: "talking.toml"
            )
            // Half of it is left when a token is renewed.
            let sandbox = try await bench.sandbox("--access-ttl", "12s")
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.authtop(
                ["watch", path, "--base-url", "http://127.0.0.1:\(relay.port)/voltyks", "--json"],
                with: Self.credentials
            )
            let stream = EventStream(watch.output)
            var last = try await stream.first("feedOpened")
            for generation in 2...4 {
                last = try await stream.first("the feed on generation \(generation)", after: last) {
                    $0.kind == "feedStateChanged" && $0.integer("usedGeneration") == generation
                        && $0.text("to") == "open"
                }
            }
            let used = try stream.all("feedOpened").compactMap { $0.integer("usedGeneration") }
            #expect(used.filter { $0 <= 4 } == (isTold ? [1] : [1, 2, 3, 4]))
            let harvest = TokenHarvest(relay)
            #expect(!harvest.tokens.isEmpty)
            #expect(harvest.leaks(in: watch.output.text) == [])
            #expect(harvest.leaks(in: watch.errors.text) == [])
            try await watch.interrupt()
        }
    }

    private static let subscription = """
        [[feed.say]]
        after = "acknowledged"
        text = '{"id":"1","type":"subscribe","payload":{"query":"{ all }"}}'
        """

    /// Those of the session under the name of the file.
    private static let credentials = Dictionary(
        uniqueKeysWithValues: Guide.voltyks.credentials.map { name, value in
            (name.replacing("AUTHTOP_VOLTYKS_", with: "AUTHTOP_TALKING_"), value)
        }
    )

    @Test("whose protocol needs a value says which, with file and line, before anything is sent")
    func mistake() async throws {
        try await withBench { bench in
            let path = try bench.write(
                "extends = \"voltyks\"\n[feed]\nkind = \"phoenix\"\n",
                to: "talking.toml"
            )
            let watch = try bench.authtop(
                ["watch", path, "--base-url", "http://127.0.0.1:1", "--json"],
                with: Self.credentials
            )
            #expect(try await watch.ended() == .exit(2))
            #expect(watch.errors.text.contains("\(path):2: feed.values.topic"))
        }
    }
}
