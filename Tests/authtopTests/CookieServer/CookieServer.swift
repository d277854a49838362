import Foundation
import TestSupport

/// Django, as the backend of a web page that keeps its tokens in cookies, with its own protection
/// against CSRF.
struct CookieServer: Sendable {
    /// A relay before it, which sees every cookie.
    let relay: Relay
    /// Of its feed, which no relay is before.
    let feedPort: Int
    private let port: Int

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    static let credentials = [
        "AUTHTOP_SPA_USERNAME": "me", "AUTHTOP_SPA_PASSWORD": "pw12345",
    ]

    /// Starts it.
    ///
    /// - Parameters:
    ///   - lifetime: Seconds an access token lives.
    ///   - bench: Where the test works.
    /// - Throws: When it does not start.
    init(lifetime: Int, on bench: Bench) async throws {
        let script = Self.folder.appending(path: "server.py").path(percentEncoded: false)
        let program = bench.keep(
            try Program(
                Program.python,
                ["-B", script, "\(lifetime)"],
                environment: bench.environment
            )
        )
        let lines = try await eventually("its ports", evidence: { program.errors.text }) {
            program.output.lines.count > 1 ? program.output.lines : nil
        }
        guard let port = Int(lines[0]), let feedPort = Int(lines[1]) else {
            throw NeverCame(what: "two ports", evidence: lines.joined())
        }
        self.port = port
        self.feedPort = feedPort
        relay = bench.keep(try Relay(to: port))
    }

    /// The profile's text, as it stands beside this file.
    ///
    /// - Throws: When it is not there.
    static func profile() throws -> String {
        try String(contentsOf: folder.appending(path: "spa.toml"), encoding: .utf8)
    }

    /// Writes the profile `spa`.
    ///
    /// - Parameters:
    ///   - bench: Where the test works.
    ///   - changing: The replacements in the profile, by the text that they replace.
    ///   - more: The additional lines.
    /// - Throws: When it cannot be written.
    func write(on bench: Bench, changing: [String: String] = [:], more: String = "") throws {
        var text =
            try Self.profile()
            .replacing("127.0.0.1:8000", with: "127.0.0.1:\(relay.port)") + more
        for (old, new) in changing { text = text.replacing(old, with: new) }
        try bench.write(text, to: "config/authtop/profiles/spa.toml")
    }

    /// Forgets all sessions.
    ///
    /// - Throws: When it does not answer.
    func endSessions() async throws {
        let answer = try await HandMadeRequest(method: "POST", target: "/end").send(to: port)
        guard answer.status == 204 else { throw NeverCame(what: "204", evidence: answer.startLine) }
    }

    /// Every value of a cookie that it has set.
    func values(of cookie: String) -> [String] {
        relay.answers.flatMap { $0.values(of: "set-cookie") }.compactMap { header in
            guard header.hasPrefix("\(cookie)=") else { return nil }
            let value = header.dropFirst(cookie.count + 1).prefix { $0 != ";" }
            return value.isEmpty || value == "\"\"" ? nil : String(value)
        }
    }
}
