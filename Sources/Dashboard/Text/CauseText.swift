package import Lifecycle

/// Why a refresh was started.
package enum CauseText {
    package static func text(_ cause: RefreshCause) -> String {
        switch cause {
        case .timer: "timer"
        case .unauthorized: "401"
        case .feed: "feed refused"
        case .person: "you"
        case .caller: "a caller waits"
        case .lostAnswer: "answer lost"
        case .retry: "retry"
        }
    }
}
