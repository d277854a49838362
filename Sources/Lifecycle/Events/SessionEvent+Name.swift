extension SessionEvent.Kind {
    /// The word by which a line of events tells its kind.
    package var name: String {
        switch self {
        case .capabilities: "capabilities"
        case .loginStarted: "loginStarted"
        case .loginFailed: "loginFailed"
        case .tokensIssued: "tokensIssued"
        case .stateChanged: "stateChanged"
        case .refreshStarted: "refreshStarted"
        case .refreshSucceeded: "refreshSucceeded"
        case .refreshFailed: "refreshFailed"
        case .request: "request"
        case .expiryMismatch: "expiryMismatch"
        case .skew: "skew"
        case .wake: "wake"
        case .wallStep: "wallStep"
        case .probe: "probe"
        case .rescheduled: "rescheduled"
        case .noProgress: "noProgress"
        case .protocolError: "protocolError"
        case .graceRecovered: "graceRecovered"
        case .adopted: "adopted"
        case .journalRecovered: "journalRecovered"
        case .unsaved: "unsaved"
        case .saved: "saved"
        case .circuitBreakerOpened: "storm"
        case .paused: "paused"
        case .resumed: "resumed"
        case .draining: "draining"
        case .signedOut: "signedOut"
        case .erased: "erased"
        case .revocation: "revocation"
        case .actionRejected: "refusedAct"
        case .sessions: "sessions"
        case .dropped: "dropped"
        case .feed(let event): event.name
        }
    }
}

extension FeedEvent {
    package var name: String {
        switch self {
        case .dialing: "feedDialing"
        case .opened: "feedOpened"
        case .switched: "feedSwitched"
        case .closed: "feedClosed"
        case .refused: "feedRefused"
        case .failed: "feedFailed"
        case .message: "feedMessage"
        case .ping: "feedPing"
        case .stateChanged: "feedStateChanged"
        case .receivesAfterLogout: "feedAlarm"
        }
    }
}
