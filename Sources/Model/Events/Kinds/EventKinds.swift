/// All kinds of events, in the order of the documentation.
enum EventKinds {
    static let all: [any EventKind.Type] = [
        Capabilities.self,
        LoginStarted.self,
        AuthorizationPrompt.self,
        AuthorizationGranted.self,
        IDTokenReport.self,
        LoginFailed.self,
        TokensIssued.self,
        CapturesChanged.self,
        SessionStateChanged.self,
        RefreshTokenRefused.self,
        SessionDraining.self,
        SignedOut.self,
        EndedBefore.self,
        SessionErased.self,
        RevocationChanged.self,
        RefreshStarted.self,
        RefreshSucceeded.self,
        RefreshFailed.self,
        RenewalPlanned.self,
        TokenAwaited.self,
        NoProgress.self,
        GraceRecovered.self,
        CircuitBreakerOpened.self,
        RenewalPaused.self,
        RenewalResumed.self,
        ExpiryMismatch.self,
        UserChange.self,
        ScopesLost.self,
        SkewChanged.self,
        Interruption.self,
        WallClockStepped.self,
        BackendProbed.self,
        ProtocolError.self,
        ActionRejected.self,
        EventsDropped.self,
        PairAdopted.self,
        JournalRecovered.self,
        PairUnsaved.self,
        PairSaved.self,
        Exchange.self,
        SessionListUpdate.self,
        IntrospectionResult.self,
        ExperimentStarted.self,
        ExperimentResult.self,
        ClockShifted.self,
        FaultsChange.self,
        FeedDialing.self,
        FeedOpened.self,
        FeedSwitched.self,
        FeedClosed.self,
        FeedRefused.self,
        FeedFailed.self,
        FeedMessageReceived.self,
        FeedMessagesMissing.self,
        FeedControlReceived.self,
        FeedPinged.self,
        FeedStateChanged.self,
        FeedAliveAfterLogout.self,
        ObservedClient.self,
        ObservedStatus.self,
        TokenLink.self,
        ObservedFinding.self,
        Scorecard.self,
        ForgottenSession.self,
        Omission.self,
        ObservedCoverage.self,
        MisdirectedRequest.self,
    ]

    /// The kinds by the names under which a recording has them, and `nil` for the beginnings of such
    /// names.
    static let recorded: [String: (any EventKind.Type)?] = {
        var recorded: [String: (any EventKind.Type)?] = [:]
        for kind in all {
            let names = kind.recordedAs.split(separator: ".")
            for count in 1..<names.count {
                recorded[names.prefix(count).joined(separator: ".")] = .some(nil)
            }
            recorded[kind.recordedAs] = kind
        }
        return recorded
    }()
}
