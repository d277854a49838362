import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A server elsewhere that sends its client to this machine", .programs)
struct FarServerTests {
    /// The statement of the server that names the place.
    enum Statement: CaseIterable { case resourceMetadata, issuer, endpoint }

    private static let far = "https://far.example"
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// The server's answers, one of which names a place.
    private static func answers(_ place: String, in statement: Statement) -> [String: [Any]] {
        let document = "/.well-known/oauth-protected-resource/mcp"
        let metadata = statement == .resourceMetadata ? place + "/x" : far + document
        let issuer = statement == .issuer ? place : far
        let token = statement == .endpoint ? place : far
        return [
            "/mcp": [
                401, ["WWW-Authenticate": "Bearer resource_metadata=\"\(metadata)\""], "",
            ],
            document: [
                200, [:], ["resource": far + "/mcp", "authorization_servers": [issuer]],
            ],
            "/.well-known/oauth-authorization-server": [
                200, [:],
                [
                    "issuer": far, "authorization_endpoint": far + "/authorize",
                    "token_endpoint": token + "/token",
                    "revocation_endpoint": far + "/revoke",
                    "code_challenge_methods_supported": ["S256"],
                ],
            ],
        ]
    }

    /// Runs a command on a bench where the server answers.
    private func withServer(
        _ answers: [String: [Any]],
        _ body: (Bench, _ options: [String], _ variables: [String: String]) async throws -> Void
    ) async throws {
        try await withBench { bench in
            try await Program.shell(
                """
                set -e; umask 077; cd \(bench.home)
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
                    -subj /CN=far.example -addext subjectAltName=DNS:far.example \
                    -keyout far.key -out far.pem
                """
            )
            let script = Self.folder.appending(path: "far.py").path(percentEncoded: false)
            let json = try JSONSerialization.data(withJSONObject: answers)
            let server = bench.keep(
                try Program(
                    Program.python,
                    [
                        "-B", script, bench.home + "/far.pem", bench.home + "/far.key",
                        String(decoding: json, as: UTF8.self),
                    ],
                    environment: bench.environment
                )
            )
            let port = try await eventually("its port", evidence: { server.errors.text }) {
                server.output.lines.first
            }
            let proxy = "http://127.0.0.1:\(port)"
            let options = ["--mcp", Self.far + "/mcp", "--ca-file", bench.home + "/far.pem"]
            try await body(bench, options, ["HTTPS_PROXY": proxy])
        }
    }

    @Test("is refused with the reason, and nothing is sent there", arguments: Statement.allCases)
    func refused(statement: Statement) async throws {
        try await withBench { other in
            let visits = Mutex(0)
            let near = other.keep(
                try LoopbackServer { _ in
                    visits.withLock { $0 += 1 }
                    return Answers.json(200, "{}")
                }
            )
            let places = [
                "http://127.0.0.1:\(near.port)", "https://127.0.0.1:\(near.port)",
                "http://localhost:\(near.port)", "https://[::1]:\(near.port)",
                "https://[::ffff:127.0.0.1]:\(near.port)", "https://0.0.0.0:\(near.port)",
                "https://169.254.169.254", "http://169.254.169.254", "http://10.0.0.1",
            ]
            for place in places {
                try await withServer(Self.answers(place, in: statement)) {
                    bench,
                    options,
                    variables in
                    let refused = try bench.authtop(
                        ["profiles", "init", "found"] + options,
                        with: variables
                    )
                    #expect(
                        try await refused.ended() == .exit(2),
                        "\(place): \(refused.errors.text)"
                    )
                    let said = refused.errors.text
                    #expect(
                        said.contains("is on this machine or its link")
                            || said.contains("expected https, or this machine")
                            || said.contains("is not a URL with https, or of this machine"),
                        "\(place): \(said)"
                    )
                }
            }
            #expect(visits.withLock { $0 } == 0)
        }
    }

    @Test("is read where it names itself")
    func healthy() async throws {
        try await withServer(Self.answers(Self.far, in: .endpoint)) { bench, options, variables in
            let written = try bench.authtop(
                ["profiles", "init", "found", "--client-id", "app"] + options,
                with: variables
            )
            #expect(try await written.ended() == .exit(0), "\(written.errors.text)")
        }
    }
}
