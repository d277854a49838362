import Basics
import Profiles

/// The rule that gave a response its meaning, in the terms of the profile.
enum RuleText {
    static func text(_ rule: DecidingRule) -> String {
        switch rule {
        case .terminal(let condition): "terminal: \(text(condition))"
        case .clientFault(let condition): "client_faults: \(text(condition))"
        case .failureFlag: "success: the flag says that it failed"
        case .cookieDeleted(let name): "it deletes the cookie \(name), which is the refresh token"
        case .rejected: "rejected: the profile lists this status"
        case .expired: "expired: the profile lists this status"
        case .expiredError(let error): "expired_errors: WWW-Authenticate says \(error)"
        case .notExpiredError(let error): "not_expired_errors: WWW-Authenticate says \(error)"
        case .refused(let condition): "refused: \(text(condition))"
        case .notRenewable(let condition): "refused, and no renewal helps: \(text(condition))"
        case .recognized: "its body refuses the token, as those of other backends do"
        case .success: "it succeeded, and has what was asked for"
        case .refreshTokenOnly: "it brings a new refresh token, and no access token to use"
        case .unreadable: "it succeeded, but cannot be read"
        case .neverTerminal: "429 and 5xx decide nothing about a token"
        case .status: "its status alone"
        case .pending: "the user has not logged in on the other device yet"
        case .unlisted: "no rule of the profile applies"
        }
    }

    static let unreadRefresh = "no refresh.terminal rule of the profile reads it"

    /// The rule that would read the refusal of a refresh, as lines of a profile.
    static func rule(reading refusal: ResponseEvidence) -> [String] {
        let status = refusal.statusLine.split(separator: " ").compactMap { Int($0) }.first
        var lines = ["[[refresh.terminal]]"]
        if let status { lines.append("status = \(status)") }
        let body = refusal.isBodyCut ? nil : JSONValue(parsing: Array(refusal.body.utf8))
        if case .object(let members)? = body,
            let key = telling.first(where: { members[$0] != nil }) ?? members.keys.min()
        {
            lines.append("key = \(JSONValue.string(key).serialized)")
        }
        return lines
    }

    /// The members that usually say what an error is, the most exact first.
    private static let telling = [
        "error", "code", "error_code", "errorCode", "reason", "type", "detail", "message",
    ]

    /// `status 401 and key "detail"`.
    private static func text(_ condition: RuleCondition) -> String {
        var parts: [String] = []
        if !condition.statuses.isEmpty {
            parts.append("status \(condition.statuses.map(String.init).joined(separator: " or "))")
        }
        if let key = condition.key, !condition.isBare {
            let values = condition.values.map(\.serialized).joined(separator: " or ")
            parts.append(values.isEmpty ? "key \"\(key)\"" : "\"\(key)\" is \(values)")
        }
        if let missing = condition.missing { parts.append("no key \"\(missing)\"") }
        if let header = condition.header { parts.append("header \"\(header)\"") }
        if let words = condition.words {
            parts.append("words \(words.map { "\"\($0)\"" }.joined(separator: " or "))")
        }
        let whole = parts.isEmpty ? "any answer" : parts.joined(separator: " and ")
        return condition.isBare ? "\(whole), without its body: counts if it comes again" : whole
    }
}
