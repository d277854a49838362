import Foundation
import TestSupport

/// An OpenID provider of Authlib, beside the test: an independent implementation.
struct OpenIDProvider: Sendable {
    /// Debian's Python, whose Authlib has no logout, or that of a virtual environment with a later one.
    static let python =
        ProcessInfo.processInfo.environment["AUTHTOP_AUTHLIB_PYTHON"] ?? Program.python

    let port: Int
    /// The folder with the private keys of its clients.
    let keys: String

    var issuer: String { "http://127.0.0.1:\(port)" }

    fileprivate static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "provider.py").path(percentEncoded: false)

    /// The profile of three lines that watches it, and more lines.
    func profile(client: String = "authtop", _ lines: String = "") -> String {
        """
        extends = "oauth2"
        issuer = "\(issuer)"
        client_id = "\(client)"
        \(lines)
        """
    }

    /// Whether its packages are installed.
    static func isInstalled() async -> Bool {
        await has("authlib, flask")
    }

    /// Whether it ends a user's session at the client's request.
    static func hasLogout() async -> Bool {
        await has("authlib.oidc.rpinitiated")
    }

    private static func has(_ modules: String) async -> Bool {
        (try? await Program.run(python, ["-c", "import \(modules)"])) != nil
    }

    /// Sends a form to a page without its own values.
    @discardableResult
    func post(_ form: String, to path: String) async throws -> HTTPMessage {
        try await HandMadeBrowser.post(form, to: issuer + path)
    }
}

extension Bench {
    /// Starts it.
    ///
    /// - Parameter lifetime: Seconds an access token lives.
    /// - Returns: Where it is.
    /// - Throws: When it does not start.
    func openIDProvider(lifetime: Int) async throws -> OpenIDProvider {
        let program = keep(
            try Program(
                OpenIDProvider.python,
                ["-B", OpenIDProvider.script, "\(lifetime)", home],
                environment: environment
            )
        )
        let line = try await eventually("its port", evidence: { program.errors.text }) {
            program.output.lines.first
        }
        guard let port = Int(line) else { throw NeverCame(what: "a port", evidence: line) }
        return OpenIDProvider(port: port, keys: home)
    }

    /// Writes the profile of three lines that watches it; returns its path.
    func profile(
        _ name: String = "provider",
        of provider: OpenIDProvider,
        client: String = "authtop",
        _ lines: String = ""
    ) throws -> String {
        try write(provider.profile(client: client, lines), to: "\(name).toml")
    }

    /// Signs in as a user does whose browser is a script.
    func signIn(at address: String) async throws {
        try await Program.run(
            Program.python,
            ["-B", OAuthServer.browser, address],
            environment: environment
        )
    }
}
