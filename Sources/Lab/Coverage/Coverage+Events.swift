import Client
import Model

/// The transition that an event belongs to.
extension Coverage {
    mutating func record(_ event: SessionEvent) {
        if let transition = Self.byKind[ObjectIdentifier(type(of: event.kind))] {
            count(transition)
        } else if let feed = event.kind as? any FeedEvent {
            record(feed)
        } else if let started = event.kind as? RefreshStarted {
            record(started.cause)
        } else if let probed = event.kind as? BackendProbed {
            count(probed.reached ? .probeSucceeded : .probeFailed)
        } else if let change = event.kind as? RevocationChanged {
            record(change.phase)
        } else if let ended = event.kind as? SignedOut {
            record(ended.reason, isOver: true)
        } else if let ending = event.kind as? SessionDraining {
            record(ending.reason, isOver: false)
        }
    }

    /// The kinds that are a transition, whatever they carry.
    private static let byKind: [ObjectIdentifier: Transition] = [
        ObjectIdentifier(LoginStarted.self): .loginStarted,
        ObjectIdentifier(LoginFailed.self): .loginFailed,
        ObjectIdentifier(RefreshSucceeded.self): .renewed,
        ObjectIdentifier(PairUnsaved.self): .unsaved,
        ObjectIdentifier(PairSaved.self): .saved,
        ObjectIdentifier(GraceRecovered.self): .graceRecovered,
        ObjectIdentifier(JournalRecovered.self): .journalRecovered,
        ObjectIdentifier(ProtocolError.self): .protocolError,
        ObjectIdentifier(Interruption.self): .wakeNoticed,
        ObjectIdentifier(WallClockStepped.self): .wallStepNoticed,
        ObjectIdentifier(RenewalPaused.self): .paused,
        ObjectIdentifier(RenewalResumed.self): .resumed,
        ObjectIdentifier(CircuitBreakerOpened.self): .breakerOpened,
        ObjectIdentifier(NoProgress.self): .noProgress,
        ObjectIdentifier(ActionRejected.self): .actionRejected,
        ObjectIdentifier(FeedOpened.self): .feedOpened,
        ObjectIdentifier(FeedSwitched.self): .feedSwitched,
    ]

    private mutating func record(_ phase: RevocationPhase) {
        switch phase {
        case .done: count(.revocationDone)
        case .pending: count(.revocationPending)
        case .expired: count(.revocationExpired)
        case .anonymous, .notKnown, .notOffered, .noRefreshToken, .noAccessToken,
            .noCapturedValue:
            break
        }
    }

    /// - Parameters:
    ///   - reason: Why a session ends.
    ///   - isOver: Whether it has ended.
    private mutating func record(_ reason: SignedOutReason, isOver: Bool) {
        switch reason {
        case .accessExpired: count(.accessExpired)
        case .refreshExpired: count(.refreshTokenEnded)
        case .deletedExternally where isOver: count(.deletedExternally)
        case .endedElsewhere where isOver: count(.endedElsewhere)
        case .replaced where isOver: count(.replaced)
        case .gaveUp where isOver: count(.gaveUp)
        case .renewedTokenRefused where isOver: count(.renewedTokenRefused)
        case .never, .user, .everywhere, .sessionExpired, .revoked, .lostRotation,
            .consumeWithoutReturn, .anotherUser, .experiment, .deletedExternally, .endedElsewhere,
            .replaced,
            .gaveUp, .renewedTokenRefused:
            break
        }
    }

    private mutating func record(_ event: any FeedEvent) {
        if let message = event as? FeedMessageReceived {
            if message.isDuplicate { count(.feedDuplicate) }
        } else if let closed = event as? FeedClosed {
            if closed.code == 1001, closed.by == .us { count(.feedGivenUp) }
        } else if let refused = event as? FeedRefused {
            if refused.status == 401 || refused.status == 403 { count(.feedTokenRefused) }
        } else if let changed = event as? FeedStateChanged {
            switch changed.state {
            case .backoff: count(.feedDialledAgain)
            case .refused: count(.feedRefusedAgain)
            case .stopped: count(.feedStopped)
            case .idle, .dialing, .open, .rotating: break
            }
        }
    }

    private mutating func record(_ cause: RefreshCause) {
        switch cause {
        case .timer: count(.renewalByTimer)
        case .unauthorized, .tokenRefused: count(.renewalByRefusedRequest)
        case .feed: count(.renewalByRefusedFeed)
        case .user: count(.renewalByUser)
        case .caller: count(.renewalByCaller)
        case .lostAnswer, .unusableAnswer, .unrecordedAnswer, .retry: count(.renewalAgain)
        // Nothing that is simulated is observed by a proxy.
        case .app: break
        }
    }
}
