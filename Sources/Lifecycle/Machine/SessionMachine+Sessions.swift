import Dialects

/// What a protected call brings besides its end.
extension SessionMachine {
    mutating func tell(_ call: ProtectedCall, _ end: RequestEnd) {
        switch (call, end) {
        case (.request, _), (.custom, _): break
        case (.sessions, .listed(let sessions, _)): emit(.sessions(.listed(sessions)))
        case (.endSession(let id), .accepted): emit(.sessions(.ended(id)))
        case (.sessions, _): emit(.sessions(.failed(words: "no list: \(end.words)")))
        case (.endSession, _): emit(.sessions(.failed(words: "not ended: \(end.words)")))
        }
    }
}

extension RequestEnd {
    fileprivate var words: String {
        switch self {
        case .accepted(let status), .listed(_, let status):
            "the answer (\(status)) is another than the profile says"
        case .inconclusive(404): "the backend knows no such thing (404)"
        case .inconclusive(let status): "the backend answered \(status)"
        case .rejected(let status): "the backend refused the access token (\(status))"
        case .noToken: "there is no usable access token"
        case .notSent(let words): "not sent: \(words)"
        case .unanswered(let words): "no complete answer: \(words)"
        }
    }
}
