import Foundation
import TestSupport

/// An authorization server and a resource as the OAuth profile of atproto has them, beside the test.
struct ATProtoServer: Sendable {
    /// What the server has counted.
    struct Report: Decodable, Sendable {
        let pushed: Int
        let logins: Int
        let refreshes: Int
        let reused: Int
        let nonces: Int
        let requests: Int
        let revocations: Int
        let problems: [String]
    }

    let port: Int

    fileprivate static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "server.py").path(percentEncoded: false)

    /// The profile that watches it: a client of this machine, whose id states what it asks for.
    var profile: String {
        """
        extends = "oauth2"
        issuer = "http://127.0.0.1:\(port)"
        client_id = "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&scope=atproto"
        dpop = true
        login.authorize.scope = "atproto"
        protected.request = "GET /xrpc/com.atproto.server.getSession"
        """
    }

    /// Whether what verifies its proofs is installed.
    static func isInstalled() async -> Bool { await Program.pythonHas("cryptography") }

    func report() async throws -> Report {
        let answer = try await HandMadeBrowser.get("http://127.0.0.1:\(port)/report")
        return try JSONDecoder().decode(Report.self, from: Data(answer.body.utf8))
    }
}

extension Bench {
    /// Starts it.
    ///
    /// - Parameters:
    ///   - lifetime: Seconds an access token lives.
    ///   - challenge: The status of a challenge for a nonce where tokens are issued.
    /// - Returns: Where it is.
    /// - Throws: When it does not start.
    func atprotoServer(lifetime: Int, challenge: Int = 400) async throws -> ATProtoServer {
        let program = keep(
            try Program(
                Program.python,
                ["-B", ATProtoServer.script, "\(lifetime)", "\(challenge)"],
                environment: environment
            )
        )
        let line = try await eventually("its port", evidence: { program.errors.text }) {
            program.output.lines.first
        }
        guard let port = Int(line) else { throw NeverCame(what: "a port", evidence: line) }
        return ATProtoServer(port: port)
    }
}
