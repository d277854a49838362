import Foundation
import TestSupport

/// A user's browser with the address of a sign-in.
enum HandMadeBrowser {
    struct NoAddress: Error {
        let text: String
    }

    /// Opens an address of this machine, and follows its redirects.
    ///
    /// - Returns: The answers, the last page's at the end.
    /// - Throws: When one does not answer, or the address is none.
    static func open(_ address: String) async throws -> [HTTPMessage] {
        var answers = [try await get(address)]
        while let next = answers.last?.values(of: "location").first, answers.count < 8 {
            answers.append(try await get(next))
        }
        return answers
    }

    static func get(_ address: String) async throws -> HTTPMessage {
        let (port, target) = try parts(of: address)
        return try await request("GET", target, port).send(to: port)
    }

    /// Sends a form to an address, and does not follow its redirect.
    static func post(_ form: String, to address: String) async throws -> HTTPMessage {
        let (port, target) = try parts(of: address)
        var request = request("POST", target, port)
        request.body = form
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        return try await request.send(to: port)
    }

    private static func request(_ method: String, _ target: String, _ port: Int) -> HandMadeRequest
    {
        HandMadeRequest(method: method, target: target, headers: ["Host": "127.0.0.1:\(port)"])
    }

    private static func parts(of address: String) throws -> (port: Int, target: String) {
        let prefix = "http://127.0.0.1:"
        let rest = address.dropFirst(prefix.count)
        let digits = rest.prefix { $0 != "/" }
        guard address.hasPrefix(prefix), let port = Int(digits) else {
            throw NoAddress(text: address)
        }
        return (port, String(rest.dropFirst(digits.count)))
    }
}

extension Program {
    /// Waits for the address that it prints for a sign-in.
    func signInAddress() async throws -> String {
        try await eventually("the address of a sign-in", evidence: { self.errors.text }) {
            self.errors.lines.first { $0.hasPrefix("http://127.0.0.1:") }
        }
    }
}

extension Bench {
    /// A browser that opens the address and shows nothing, for `BROWSER`.
    func silentBrowser() throws -> String {
        let path = try write(
            """
            #!\(Program.python)
            import sys, urllib.request
            urllib.request.urlopen(sys.argv[1]).read()

            """,
            to: "browser"
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    /// Writes a profile of the sandbox's sign-in with a browser.
    ///
    /// - Parameters:
    ///   - sandbox: The sandbox.
    ///   - decision: The user's decision without being asked, or `nil` to be asked.
    ///   - lines: More of the profile.
    /// - Returns: Its path.
    /// - Throws: When it cannot be written.
    func browserProfile(
        of sandbox: Sandbox,
        deciding decision: String? = nil,
        _ lines: String = ""
    ) throws -> String {
        let query = decision.map { "?sandbox=\($0)" } ?? ""
        return try write(
            """
            extends = "oauth2"
            base_url = "http://127.0.0.1:\(sandbox.port)/oauth2"
            grant = "authorization_code"
            client_auth = "public"
            client_id = "sandbox"
            login.authorize.request = "GET /authorize\(query)"
            \(lines)
            """,
            to: "mine.toml"
        )
    }
}
