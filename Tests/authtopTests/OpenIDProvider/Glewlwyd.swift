import Foundation
import TestSupport

/// Debian's Glewlwyd, beside the test: a whole OpenID provider, of which nothing was written here.
struct Glewlwyd: Sendable {
    /// The secret of its client `authtop`.
    static let secret = "s3cr3t-of-authtop"
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    let port: Int
    /// The one port to which it redirects.
    let redirectPort: Int

    var issuer: String { "http://127.0.0.1:\(port)/api/oidc" }

    static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/glewlwyd")
    }

    /// A user's browser, for `BROWSER`.
    static var browser: String { "\(Program.python) -B \(script("person.py")) sign-in %s" }

    fileprivate static func script(_ name: String) -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    /// Signs in as a user does.
    func signIn(at address: String) async throws {
        try await Program.run(Program.python, ["-B", Self.script("person.py"), "sign-in", address])
    }

    /// Ends all sessions of the user, who has lost a device.
    func revokeAll() async throws {
        try await Program.run(Program.python, ["-B", Self.script("person.py"), "revoke", issuer])
    }
}

extension Bench {
    /// Starts it with its own database.
    ///
    /// - Parameter lifetime: Seconds an access token lives.
    /// - Returns: Where it is.
    /// - Throws: When it does not start.
    func glewlwyd(lifetime: Int) async throws -> Glewlwyd {
        let listener = try LoopbackListener()
        let redirectPort = listener.port
        listener.stop()
        let program = keep(
            try Program(
                Program.python,
                ["-B", Glewlwyd.script("glewlwyd.py"), "\(lifetime)", home, "\(redirectPort)"],
                environment: environment
            )
        )
        let line = try await eventually("its port", evidence: { program.errors.text }) {
            program.output.lines.first
        }
        guard let port = Int(line) else { throw NeverCame(what: "a port", evidence: line) }
        return Glewlwyd(port: port, redirectPort: redirectPort)
    }
}
