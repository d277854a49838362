extension RefreshCause {
    /// For the request log.
    package var description: String {
        switch self {
        case .timer: "timer"
        case .unauthorized: "401"
        case .feed: "feed refused"
        case .person: "you"
        case .caller: "needed"
        case .lostAnswer: "answer lost"
        case .retry: "again"
        }
    }
}
