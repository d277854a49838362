import Foundation
import TestSupport

/// django-oauth-toolkit, beside the test: an independent implementation.
struct OAuthServer: Sendable {
    let port: Int

    /// Debian's Python, whose toolkit has no device grant, or that of a virtual environment with a
    /// later one.
    static let python =
        ProcessInfo.processInfo.environment["AUTHTOP_TOOLKIT_PYTHON"] ?? Program.python

    static func isInstalled() async -> Bool {
        (try? await Program.run(python, ["-c", "import oauth2_provider"])) != nil
    }

    static func hasDeviceGrant() async -> Bool {
        let line = "import oauth2_provider as it; open(it.__path__[0] + '/views/device.py')"
        return (try? await Program.run(python, ["-c", line])) != nil
    }

    fileprivate static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// A user's browser that logs in and allows what is asked.
    static let browser = folder.appending(path: "browser.py").path(percentEncoded: false)

    /// A user with headless Chromium who does the same.
    static let chromium = folder.appending(path: "chromium.py").path(percentEncoded: false)

    /// The profile that watches it, at its own port or at a relay's.
    ///
    /// - Throws: When its file is not there.
    static func profile(grant: String, at port: Int) throws -> String {
        try String(contentsOf: folder.appending(path: "toolkit.toml"), encoding: .utf8)
            .replacing("127.0.0.1:8000", with: "127.0.0.1:\(port)")
            .replacing("\"password\"", with: "\"\(grant)\"")
    }

    /// The other lines of the profile of a sign-in with a browser.
    static let browserLines = """

        client_auth = "public"
        client_id = "browser"
        login.authorize.request = "GET /o/authorize/"
        login.authorize.scope = "read"
        """

    /// The other lines of the profile of a sign-in on any device.
    static let deviceLines = """

        client_auth = "public"
        client_id = "device"
        login.device.request = "POST /o/device-authorization/"
        """

    /// Ends all sessions, as an administrator does.
    func revokeAll() async throws {
        _ = try await HandMadeBrowser.post("", to: "http://127.0.0.1:\(port)/revoke-all")
    }

    /// The credentials that the program asks for, where the profile is `server.toml`.
    static func credentials(grant: String) -> [String: String] {
        let client = grant.replacing("_", with: "-")
        return [
            "AUTHTOP_SERVER_USERNAME": "me", "AUTHTOP_SERVER_PASSWORD": "pw12345",
            "AUTHTOP_SERVER_CLIENT_ID": client,
            "AUTHTOP_SERVER_CLIENT_SECRET": "s3cr3t-of-\(client)",
        ]
    }
}

extension Bench {
    /// Starts it with its own database.
    ///
    /// - Parameters:
    ///   - lifetime: Seconds an access token lives.
    ///   - settings: More of the toolkit's settings, as JSON.
    /// - Returns: Where it is.
    /// - Throws: When it does not start.
    func oauthServer(lifetime: Int, settings: String = "{}") async throws -> OAuthServer {
        let script = OAuthServer.folder.appending(path: "server.py").path(percentEncoded: false)
        let program = keep(
            try Program(
                OAuthServer.python,
                ["-B", script, home + "/oauth.sqlite3", "\(lifetime)", "0", settings],
                environment: environment
            )
        )
        let line = try await eventually("its port", evidence: { program.errors.text }) {
            program.output.lines.first
        }
        guard let port = Int(line) else { throw NeverCame(what: "a port", evidence: line) }
        return OAuthServer(port: port)
    }
}
