package import Dialects
package import Lifecycle

/// What a server said of a token, and where that contradicts what is believed.
package enum SecondOpinionText {
    package static func name(_ question: TokenQuestion) -> String {
        switch question {
        case .access: "Access token"
        case .refresh: "Refresh token"
        case .user: "User"
        }
    }

    /// The whole opinion in one line.
    package static func text(_ opinion: SecondOpinion) -> String {
        switch opinion.answer {
        case .stated(let statement):
            let differences = differences(opinion)
            guard differences.isEmpty else { return differences.joined(separator: ", ") }
            switch statement.isActive {
            case true?: return "server says: active, as believed"
            case false?: return "server says: not active, as believed"
            case nil: return "server says: user \(statement.subject ?? "unknown")"
            }
        case .refused(let status) where opinion.question == .user:
            return "server says: the access token is not accepted (\(status))"
        case .refused(let status):
            return "no opinion: the server refuses the client's question (\(status))"
        case .unusable(let status):
            return "no opinion: the answer (\(status)) is none, check the profile"
        case .notSent(let cause): return "no opinion: \(CauseText().text(cause))"
        case .unanswered(let detail): return "no opinion: no complete answer, \(detail)"
        }
    }

    /// Each contradiction in a few words.
    package static func differences(_ opinion: SecondOpinion) -> [String] {
        opinion.differences.map { difference in
            switch difference {
            case .inactive: return "server says: not active, and we believe that it lives"
            case .end(let seconds):
                let much = DurationFormatter.long(abs(seconds.rounded()))
                return "server says: ends \(much) \(seconds < 0 ? "earlier" : "later")"
            case .subject: return "server says: another user, \(opinion.statement?.subject ?? "")"
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
