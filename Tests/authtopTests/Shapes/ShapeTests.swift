import TestSupport
import Testing

@Suite("Shapes of backends", .programs)
struct ShapeTests {
    @Test("a session is renewed in time, and no request is refused", arguments: Shape.renewing)
    func renewing(shape: Shape) async throws {
        try await withBench { bench in
            let server = try bench.server(shape)
            let program = try start(shape, server, bench)
            let stream = EventStream(program.output)
            var last = try await stream.first("tokensIssued")
            for _ in 0..<2 { last = try await stream.first("refreshSucceeded", after: last) }
            try await stream.first("a request with the new token", after: last) {
                $0.isRequest("protected") && $0.status == 200
                    && $0.integer("usedGeneration") == last.generation
            }
            let refused = try stream.events.filter {
                $0.isRequest("protected") && $0.status.map { $0 != 200 } ?? false
            }
            #expect(refused.map(\.line) == [])
            #expect(server.backend.spentTwice == 0)
            #expect(server.backend.requests("POST /login").count == 1)
            let shown = [program.output.text, program.errors.text, program.commandLine]
            for secret in [server.backend.mark, "s3cr3t"] {
                #expect(!shown.contains { $0.contains(secret) })
            }
        }
    }

    @Test(
        "without an expiry, a refusal renews, and the request is repeated",
        arguments: Shape.refusing
    )
    func refusing(shape: Shape) async throws {
        try await withBench { bench in
            let server = try bench.server(shape)
            let stream = try watch(shape, server, bench)
            let first = try await stream.first("tokensIssued")
            let refused = try await stream.first("a refusal", after: first) {
                $0.isRequest("protected") && $0.status == shape.expired.status
            }
            let renewed = try await stream.first("refreshSucceeded", after: refused)
            try await stream.first("the repeated request", after: renewed) {
                $0.isRequest("protected") && $0.status == 200
                    && $0.integer("usedGeneration") == renewed.generation
            }
            #expect(server.backend.spentTwice == 0)
        }
    }

    @Test("an empty refusal ends the session when it comes twice")
    func emptyRefusals() async throws {
        try await withBench { bench in
            let server = try bench.server(.emptyRefusals)
            let stream = try watch(.emptyRefusals, server, bench)
            let issued = try await stream.first("tokensIssued")
            let renewed = try await stream.first("refreshSucceeded", after: issued)
            server.backend.revoke()
            let ended = try await stream.first("signedOut", after: renewed)
            #expect(ended.text("reason") == "revoked")
            // Before the revocation there may have been more than one renewal.
            let refused = try stream.all("request")
                .filter { $0.isRequest("refresh") && $0.status != 200 }
            #expect(refused.count == 2)
        }
    }

    @Test("a list of complaints about a login is told in the backend's words")
    func validating() async throws {
        try await withBench { bench in
            let server = try bench.server(.validating)
            let program = try start(
                .validating,
                server,
                bench,
                with: ["AUTHTOP_SHAPE_PASSWORD": "wrong"]
            )
            #expect(try await program.ended() == .exit(1))
            #expect(program.errors.lines.count == 1)
            #expect(program.errors.text.contains("value is not a valid email address"))
            #expect(program.errors.text.contains("422"))
        }
    }

    @Test("without a refresh token a session lives as long as its access token")
    func withoutRefresh() async throws {
        try await withBench { bench in
            let server = try bench.server(.withoutRefresh)
            let program = try start(.withoutRefresh, server, bench)
            #expect(try await program.ended() == .exit(1))
            let stream = EventStream(program.output)
            #expect(try stream.all("signedOut").first?.text("reason") == "accessExpired")
            #expect(try stream.events.contains { $0.enters("draining") })
            #expect(server.backend.requests("POST /login").count == 1)
        }
    }

    @Test("with renew = \"login\" the same backend is logged in to again")
    func renewsByLogin() async throws {
        try await withBench { bench in
            let shape = Shape.withoutRefresh
            let server = try bench.server(shape)
            let stream = try watch(shape, server, bench, "policy.renew = \"login\"")
            let first = try await stream.first("tokensIssued")
            let second = try await stream.first("tokensIssued", after: first)
            try await stream.first("tokensIssued", after: second)
            #expect(try stream.all("signedOut").isEmpty)
        }
    }

    @Test("a path that is not there is said to be a mistake in the profile")
    func wrongPath() async throws {
        try await withBench { bench in
            var shape = Shape.validating
            shape = Shape(
                name: shape.name,
                profile: shape.profile.replacing("POST /login", with: "POST /login/"),
                issued: shape.issued
            )
            let server = try bench.server(shape)
            let program = try start(shape, server, bench)
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("probably a mistake in the profile"))
            #expect(program.errors.text.contains("POST /login/"))
        }
    }

    private func watch(
        _ shape: Shape,
        _ server: ShapeServer,
        _ bench: Bench,
        _ more: String = ""
    ) throws -> EventStream {
        EventStream(try start(shape, server, bench, more).output)
    }

    private func start(
        _ shape: Shape,
        _ server: ShapeServer,
        _ bench: Bench,
        _ more: String = "",
        with variables: [String: String] = [:]
    ) throws -> Program {
        let path = try bench.write(
            "base_url = \"http://127.0.0.1:\(server.port)\"\n\(more)\n\(shape.profile)",
            to: "shape.toml"
        )
        return try bench.authtop(
            ["watch", path, "--vault", "memory", "--json", "--every", "300ms", "--for", "120s"],
            with: Shape.variables.merging(variables) { $1 }
        )
    }
}
