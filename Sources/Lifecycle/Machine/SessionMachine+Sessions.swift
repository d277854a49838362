import Dialects

/// What a protected call brings besides its end.
extension SessionMachine {
    mutating func reportSessions(_ call: ProtectedCall, _ end: RequestEnd) {
        switch (call, end) {
        case (.request, _), (.custom, _): break
        case (.sessions, .listed(let sessions, _)): emit(.sessions(.listed(sessions)))
        case (.endSession(let id), .accepted): emit(.sessions(.ended(id)))
        case (.sessions, _): emit(.sessions(.failed(message: "no list: \(end.message)")))
        case (.endSession, _): emit(.sessions(.failed(message: "not ended: \(end.message)")))
        }
    }
}

extension RequestEnd {
    fileprivate var message: String {
        switch self {
        case .accepted(let status), .listed(_, let status):
            "the answer (\(status)) is another than the profile says"
        case .inconclusive(404): "the backend knows no such thing (404)"
        case .inconclusive(let status): "the backend answered \(status)"
        case .rejected(let status): "the backend refused the access token (\(status))"
        case .noToken: "there is no usable access token"
        case .notSent(let message): "not sent: \(message)"
        case .unanswered(let message): "no complete answer: \(message)"
        }
    }
}
