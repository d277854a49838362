package import Basics
import FoundationEssentials

/// A server's statement about a token, or about its user: untrusted, but on one line, bounded, and
/// without secrets.
package struct TokenStatement: Sendable, Hashable, Codable {
    /// Whether the token is accepted, or `nil` in a statement about the user.
    package var isActive: Bool?
    /// Seconds since 1970 by the server's clock.
    package var expiresAt: Double?
    /// Its statement about the end that is no date.
    package var unusableExpiry: String?
    package var scope: String?
    package var subject: String?
    package var clientID: String?
    package var tokenType: String?
}

/// The meaning of a response to a question.
package enum StatementResponse: Sendable, Hashable {
    case stated(TokenStatement)
    /// The question itself was refused: 401 or 403.
    case refused
    /// Any other response without a statement.
    case unusable
}

/// Parsing of responses to questions, whose members RFC 7662 section 2.2 and OpenID Connect Core
/// section 5.1 name.
extension Dialect {
    /// Parses a response, and returns what decided its meaning, too.
    package func decideStatement(
        _ question: TokenQuestion,
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> Decision<StatementResponse> {
        let status = response.status
        if [401, 403].contains(status) { return Decision(.refused, by: .status) }
        guard ResponseClass(status: status) == .success else {
            let isNever = ResponseClass.isNeverTerminal(status)
            return Decision(.unusable, by: isNever ? .neverTerminal : .unlisted)
        }
        let body = ResponseBody(response, by: recognition)
        guard body.isObject, let json = body.json,
            let statement = Self.statement(question, in: json, hiding: secrets)
        else { return Decision(.unusable, by: .unreadable) }
        return Decision(.stated(statement), by: .success)
    }

    /// Returns what a response states, or `nil` if it lacks the member that it must have.
    private static func statement(
        _ question: TokenQuestion,
        in json: JSONValue,
        hiding secrets: KnownSecrets
    ) -> TokenStatement? {
        func text(_ name: String) -> String? {
            json.value(at: name)?.displayText.flatMap { text in
                text.isEmpty ? nil : ServerMessage.bounded(text, hiding: secrets)
            }
        }
        guard question != .user else {
            return text("sub").map { TokenStatement(subject: $0) }
        }
        guard let isActive = json.value(at: "active")?.boolValue else { return nil }
        let stated = json.value(at: "exp").flatMap { $0 == .null ? nil : $0 }
        let end = stated.flatMap(StatedEnd.init)?.date
        let unusable = end == nil ? stated : nil
        let scopes = Scopes.stated(in: json)?.joined(separator: " ") ?? ""
        return TokenStatement(
            isActive: isActive,
            expiresAt: end?.timeIntervalSince1970,
            unusableExpiry: unusable.map { value in
                ServerMessage.bounded(value.displayText ?? value.serialized, hiding: secrets)
            },
            scope: scopes.isEmpty ? nil : ServerMessage.bounded(scopes, hiding: secrets),
            subject: text("sub"),
            clientID: text("client_id"),
            tokenType: text("token_type")
        )
    }
}
