import Testing

@Suite("A protected request that is refused", .programs)
struct RefusedRequestTests {
    @Test("renews the pair, and goes again once with the new token", arguments: Guide.allCases)
    func renewsAndRepeats(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "60s")
            let relay = try bench.relay(to: sandbox)
            relay.prepare(.answered(Answers.unauthorized), for: guide.protectedPath)
            let watch = try bench.watch(guide, at: relay.port, "--every", "300ms")
            let refused = try await watch.stream.first("the refused request") {
                $0.isRequest("protected")
            }
            #expect(refused.status == 401)
            let started = try await watch.stream.first("refreshStarted", after: refused)
            #expect(started.text("cause") == "unauthorized")
            let renewed = try await watch.stream.first("refreshSucceeded", after: started)
            let repeated = try await watch.stream.first("the same request again", after: renewed) {
                $0.integer("retryOf") != nil
            }
            #expect(repeated.integer("retryOf") == refused.integer("id"))
            #expect(repeated.integer("usedGeneration") == 2)
            #expect(repeated.status == 200)
            #expect(try watch.stream.all("refreshStarted").count == 1)
        }
    }
}
