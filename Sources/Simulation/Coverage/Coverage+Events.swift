import Client
import Model

/// The transition that an event belongs to.
extension Coverage {
    mutating func note(_ event: SessionEvent) {
        switch event.kind {
        case .loginStarted: count(.loginStarted)
        case .loginFailed: count(.loginFailed)
        case .refreshStarted(_, let cause, _): note(cause)
        case .refreshSucceeded: count(.renewed)
        case .unsaved: count(.unsaved)
        case .saved: count(.saved)
        case .graceRecovered: count(.graceRecovered)
        case .journalRecovered: count(.journalRecovered)
        case .protocolError: count(.protocolError)
        case .wake: count(.wakeNoticed)
        case .wallStep: count(.wallStepNoticed)
        case .probe(let isReached): count(isReached ? .probeSucceeded : .probeFailed)
        case .revocation(.done): count(.revocationDone)
        case .revocation(.pending): count(.revocationPending)
        case .revocation(.expired): count(.revocationExpired)
        case .paused: count(.paused)
        case .resumed: count(.resumed)
        case .circuitBreakerOpened: count(.stormOpened)
        case .noProgress: count(.noProgress)
        case .actionRejected: count(.actionRejected)
        case .signedOut(.deletedExternally): count(.deletedExternally)
        case .signedOut(.endedElsewhere): count(.endedElsewhere)
        case .signedOut(.replaced): count(.replaced)
        case .signedOut(.accessExpired), .draining(_, .accessExpired): count(.accessExpired)
        case .signedOut(.refreshExpired), .draining(_, .refreshExpired): count(.refreshTokenEnded)
        case .signedOut(.gaveUp): count(.gaveUp)
        case .signedOut(.renewedTokenRefused): count(.renewedTokenRefused)
        case .feed(let event): note(event)
        default: break
        }
    }

    private mutating func note(_ event: FeedEvent) {
        switch event {
        case .opened: count(.feedOpened)
        case .switched: count(.feedSwitched)
        case .closed(_, code: 1001, by: .us, _): count(.feedGivenUp)
        case .refused(_, status: 401, _), .refused(_, status: 403, _): count(.feedTokenRefused)
        case .message(_, _, _, _, _, isDuplicate: true): count(.feedDuplicate)
        case .stateChanged(.backoff): count(.feedDialledAgain)
        case .stateChanged(.refused): count(.feedRefusedAgain)
        case .stateChanged(.stopped): count(.feedStopped)
        case .dialing, .closed, .refused, .failed, .message, .missing, .control, .ping,
            .stateChanged,
            .receivesAfterLogout:
            break
        }
    }

    private mutating func note(_ cause: RefreshCause) {
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
