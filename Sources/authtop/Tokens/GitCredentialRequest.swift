import Basics
import Platform

/// What git asks of a credential helper: lines of `name=value` (git-credential(1)).
struct GitCredentialRequest: Sendable, Hashable {
    /// The longest request that is read, in bytes.
    static let limit = 64 << 10
    /// The user's name where git has none: the one that hosts take with a token of OAuth.
    private static let usualName = "oauth2"

    private let attributes: [String: String]

    /// - Parameter text: The lines, to their end or to the first empty one.
    /// - Throws: `CommandFailure` with the number of a line that is none.
    init(parsing text: String) throws(CommandFailure) {
        var attributes: [String: String] = [:]
        for (number, line) in text.parts(at: "\n", keepsEmpty: true).enumerated() {
            guard !line.isEmpty else { break }
            guard line.has("=") else {
                throw CommandFailure(
                    .badInput,
                    "stdin:\(number + 1): expected name=value, as git writes it"
                )
            }
            let parts = line.parts(at: "=", limit: 2, keepsEmpty: true)
            attributes[String(parts[0])] = String(parts[1])
        }
        self.attributes = attributes
    }

    /// Whether it is for this host, at this port and by this protocol.
    func isFor(_ origin: BackendOrigin) -> Bool {
        guard let scheme = attributes["protocol"], let host = attributes["host"],
            let asked = try? BackendOrigin(parsing: "\(scheme)://\(host)", allowInsecure: true)
        else { return false }
        return asked == origin.withoutPath
    }

    /// - Throws: `CommandFailure` if the token cannot stand in a line.
    func answer(
        _ token: FreshToken,
        _ profile: String
    ) throws(CommandFailure) -> String {
        let name = attributes["username"] ?? Self.usualName
        let password = token.asked.secret.reveal()
        guard (name + password).unicodeScalars.allSatisfy({ $0.value >= 32 }) else {
            throw CommandFailure(
                .badInput,
                "--format git: the token of \(profile) has a character that git takes none of"
            )
        }
        var lines = ["username=\(name)", "password=\(password)"]
        if let end = token.asked.endSeconds { lines.append("password_expiry_utc=\(end)") }
        return lines.joined(separator: "\n")
    }
}
