import Dialects
import Lifecycle
import Tokens

/// A backend that answers in its own way, whatever it is asked.
struct VirtualTrouble: Sendable {
    /// How many logins succeed before all are refused.
    var loginLimit: Int?
    /// Whether every other request is answered with 429.
    var limitsEveryOther = false
    /// How many requests are answered before nobody listens any more.
    var requestLimit: Int?
    /// Whether the refresh after a refused one fails.
    var failsAfterRefusals = false
    var requests = 0
    var logins = 0
    var hasRefused = false

    /// Returns what a request comes to, or `nil` if the backend decides.
    mutating func outcome(
        of request: WireRequest,
        in dialect: Dialect
    ) -> Outcome<WireResponse>? {
        requests += 1
        if let requestLimit, requests > requestLimit {
            return .notSent(.unreachable(detail: "connection refused"))
        }
        if limitsEveryOther, requests.isMultiple(of: 2) {
            return .answered(WireResponse(status: 429, headers: [WireHeader("Retry-After", "1")]))
        }
        switch dialect.recognise(request) {
        case .login:
            logins += 1
            return loginLimit.map { logins > $0 } ?? false
                ? .answered(WireResponse(status: 401, body: Array("{}".utf8))) : nil
        case .refresh where failsAfterRefusals && hasRefused:
            return .answered(WireResponse(status: 500))
        default: return nil
        }
    }

    mutating func note(
        _ outcome: Outcome<WireResponse>,
        of request: WireRequest,
        in dialect: Dialect
    ) {
        guard case .refresh = dialect.recognise(request), case .answered(let response) = outcome
        else { return }
        hasRefused = (400..<500).contains(response.status)
    }
}
