import Model

/// What differs while a recording is shown.
extension DashboardState {
    /// Returns to the state before the first event, as far as events determine it: what the user
    /// looks at remains.
    package mutating func forgetEvents() {
        book = SessionBook(ids: sessions.map(\.id))
        notice = nil
        lastMoment = nil
        askedPauses = [:]
    }
}

extension Action {
    /// Whether it changes a session, or sends something.
    var isForSession: Bool {
        switch self {
        case .renew, .logIn, .cancelLogIn, .logOut, .logOutEverywhere, .send, .compose, .cyclePause,
            .tryVault,
            .sessions, .endSelected, .faults, .faultOnce, .toggleFault, .allFaultsOff, .experiments,
            .runExperiment, .repeatExperiment, .shiftClock, .introspect, .lock,
            .unlock:
            true
        default: false
        }
    }
}
