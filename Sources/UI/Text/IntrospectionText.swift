import Model
import Profiles

/// A server's statement about a token, and its contradictions to the client's own state.
enum IntrospectionText {
    static func name(_ question: TokenQuestion) -> String {
        switch question {
        case .access: "Access token"
        case .refresh: "Refresh token"
        case .user: "User"
        }
    }

    /// The answer in one line.
    static func text(_ introspection: IntrospectionResult) -> String {
        switch introspection.answer {
        case .stated(let statement): "server says: \(text(statement, of: introspection))"
        case .refused where introspection.question == .user:
            "server says: \(withoutStatement(introspection))"
        case .refused, .unusable, .notSent, .unanswered: withoutStatement(introspection)
        }
    }

    /// What it can mean that a refresh token is not active.
    static let meaningOfInactiveRefresh = "ended, or the server states access tokens alone"

    private static func text(
        _ statement: TokenStatement,
        of introspection: IntrospectionResult
    ) -> String {
        let differences = differences(introspection)
        guard differences.isEmpty else { return differences.joined(separator: ", ") }
        return switch statement.isActive {
        case true?: "active, as believed"
        case false? where introspection.question == .refresh:
            "not active: \(meaningOfInactiveRefresh)"
        case false?: "not active, as believed"
        case nil: "user \(statement.subject ?? "unknown")"
        }
    }

    /// The reason why there is no statement; empty if there is one.
    static func withoutStatement(_ introspection: IntrospectionResult) -> String {
        switch introspection.answer {
        case .stated: ""
        case .refused(let status) where introspection.question == .user:
            "the access token is not accepted (\(status))"
        case .refused(let status):
            "no statement: the server refuses the client's question (\(status))"
        case .unusable(let status):
            "no statement: the answer (\(status)) states nothing; check the profile"
        case .notSent(let cause): "no statement: \(CauseText().text(cause))"
        case .unanswered(let detail): "no statement: no complete answer, \(detail)"
        }
    }

    /// Each contradiction of a statement in a few words.
    static func differences(_ introspection: IntrospectionResult) -> [String] {
        guard let statement = introspection.statement else { return [] }
        return introspection.differences.map { difference in
            switch difference {
            case .inactive: return "not active, and we believe that it lives"
            case .end(let seconds):
                let much = DurationFormatter.long(abs(seconds.rounded()))
                return "ends \(much) \(seconds < 0 ? "earlier" : "later")"
            case .subject: return "another user, \(statement.subject ?? "")"
            }
        }
    }

    /// The members that are only shown.
    static func members(_ statement: TokenStatement) -> [(String, String)] {
        [
            ("subject", statement.subject), ("scope", statement.scope),
            ("client", statement.clientID), ("type", statement.tokenType),
        ].compactMap { name, value in value.map { (name, $0) } }
    }
}
