import TestSupport
import Testing

@Suite("A token", .programs)
struct SecretTests {
    @Test(
        "is in no line, no error and no argument, whatever happens to the session",
        arguments: Guide.allCases
    )
    func nowhere(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s", "--reuse", guide.reuse)
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(guide, at: relay.port, "--every", "300ms")
            let opened = try await watch.stream.first("feedOpened")
            let arguments = watch.program.commandLine
            let renewed = try await watch.stream.first("refreshSucceeded", after: opened)
            relay.prepare(.answered(Answers.unauthorized), for: guide.protectedPath)
            let refused = try await watch.stream.first("refreshSucceeded", after: renewed)
            relay.prepare(.answerLost, for: guide.refreshPath)
            let lost = try await watch.stream.state("unknown", after: refused)
            try await watch.stream.first("the end of that", after: lost) {
                $0.enters("fresh") || $0.kind == "signedOut"
            }

            let harvest = TokenHarvest(relay)
            #expect(harvest.tokens.count >= 4)
            #expect(arguments.contains("--base-url"))
            #expect(harvest.leaks(in: arguments) == [])
            #expect(harvest.leaks(in: watch.program.output.text) == [])
            #expect(harvest.leaks(in: watch.program.errors.text) == [])
            #expect(harvest.leaks(in: sandbox.program.output.text) == [])
            #expect(harvest.leaks(in: sandbox.program.errors.text) == [])
            let state = try await HandMadeRequest(method: "GET", target: "/__sandbox/state")
                .send(to: sandbox.port)
            #expect(harvest.leaks(in: state.body) == [])
        }
    }

    @Test("that is somewhere would be found")
    func found() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(.voltyks, at: relay.port)
            try await watch.stream.first("tokensIssued")
            let harvest = TokenHarvest(relay)
            #expect(harvest.tokens.count == 2)
            for token in harvest.tokens {
                let part = token.dropFirst(5).prefix(TokenHarvest.length)
                #expect(!harvest.leaks(in: "words \(part) words").isEmpty)
                #expect(harvest.leaks(in: "words \(part.dropLast()) words").isEmpty)
            }
        }
    }

    @Test("goes to its own endpoints only, in one place", arguments: Guide.allCases)
    func places(guide: Guide) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s", "--reuse", guide.reuse)
            let relay = try bench.relay(to: sandbox)
            let watch = try bench.watch(guide, at: relay.port, "--every", "300ms")
            try await watch.stream.first("feedSwitched")
            let refreshes = relay.requests(to: guide.refreshPath)
            let others = relay.requests.filter { !$0.path.hasSuffix(guide.refreshPath) }
            #expect(!refreshes.isEmpty)
            for request in relay.requests {
                #expect(request.values(of: "authorization").count <= 1)
            }
            let sent = refreshes.compactMap { request in
                request["refresh_token"]?.text ?? request["refreshToken"]?.text
                    ?? request.values(of: "authorization").first.map { String($0.dropFirst(7)) }
            }
            #expect(sent.count == refreshes.count)
            for token in sent {
                let elsewhere = others.filter { request in
                    (request.headers.map(\.value) + [request.target, request.body])
                        .contains { $0.contains(token) }
                }
                #expect(elsewhere.map(\.startLine) == [])
            }
        }
    }
}
