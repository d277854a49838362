import Basics
import Client
import Model
import Profiles
import Simulation

/// Which transition a step was.
extension Coverage {
    mutating func record(
        _ input: SessionInput,
        _ before: MachineView,
        _ after: MachineView,
        _ effects: [SessionEffect]
    ) {
        recordStart(input, before, after)
        if before.state.outlook?.hold != .use, after.state.outlook?.hold == .use {
            count(.leftToUse)
        }
        recordAnswer(input, before, after)
        switch (input, before.state, after.state) {
        case (.tick, .renewing, .blocked): count(.expiredWhileRenewing)
        case (.tick, .retrying, .expired): count(.expiredWhileRetrying)
        case (.tick, .unknown, .expired): count(.expiredWhileUnknown)
        case (.tick, .draining, .signedOut): count(.drainedToTheEnd)
        case (.protectedEnded, .draining, .signedOut): count(.drainingEndedByRequest)
        case (.flightLocked(_, .success(false)), _, _): count(.lockNotGot)
        case (.logOut(.this), _, .signingOut): count(.logoutBegan)
        case (.logOut(.everywhere), _, .signingOut): count(.logoutEverywhereBegan)
        case (.logOut(.everywhere), let from, let to) where from.isLive && to.isLive:
            if !effects.contains(where: \.isRefusal) { count(.logoutEverywhereRenewsFirst) }
        case (_, .signingOut, .signedOut): count(.logoutEnded)
        case (_, let from, .signingIn) where from.isLive: count(.loginGrantAgain)
        default: break
        }
        if before.held?.generation != after.held?.generation { recordAdoption(input, effects) }
    }

    private mutating func recordStart(
        _ input: SessionInput,
        _ before: MachineView,
        _ after: MachineView
    ) {
        guard case .recordLoaded = input else { return }
        switch (before.state, after.state) {
        case (.cold, .signedOut(.never)): count(.startedEmpty)
        case (.cold, .fresh): count(.startedFresh)
        case (.cold, .renewing): count(.startedStale)
        case (.cold, .blocked): count(.startedExpired)
        case (.cold, .draining): count(.startedDrained)
        case (.cold, .vaultUnavailable): count(.vaultUnavailable)
        case (.cold, .signingIn): count(.startedEmpty)
        case (.vaultUnavailable, let next) where next.name != before.state.name:
            count(.vaultReadLater)
        default: break
        }
    }

    private mutating func recordAnswer(
        _ input: SessionInput,
        _ before: MachineView,
        _ after: MachineView
    ) {
        switch input {
        case .loginEnded(_, let exchange):
            if case .answered(.issued) = exchange.outcome, before.state != .signingIn {
                count(.loginAnsweredTooLate)
            }
        case .refreshEnded(_, let exchange):
            switch exchange.outcome {
            case .unanswered, .answered(.failed(.undecodable)):
                count(.answerLost)
                if before.state.isDead { count(.answerLostWhileExpired) }
            case .answered(.refused(let refusal)) where refusal.isBare: count(.refusedBareOnce)
            case .answered(.failed(.clientFault)): count(.clientFault)
            case .answered(.issued) where before.held == nil: count(.renewedTooLate)
            case .answered, .notSent: break
            }
            switch (before.state, after.state) {
            case (.renewing, .retrying): count(.retrying)
            case (.retrying, .retrying): count(.retryingAgain)
            case (.blocked, .expired): count(.blockedToExpired)
            case (.unknown, .unknown(let outlook)):
                if outlook.failures > RetryPolicy.afterLostAnswers.count { count(.fifthAnswerLost) }
            default: break
            }
        case .protectedEnded(_, let exchange):
            guard case .answered(.tokenRejected) = exchange.outcome else { return }
            if before.state == .fresh, after.state == .fresh { count(.olderGenerationRefused) }
        case .committed:
            if before.state == .signingIn, after.held?.generation == 1 { count(.loginSucceeded) }
        case .vaultChecked(_, let problem):
            if problem != nil { count(.loginNotStorable) }
        case .recordLoaded:
            if before.state == .signingIn, after.state.isLive { count(.loginJoined) }
            switch (before.state, after.state) {
            case (.cold, _), (.vaultUnavailable, _): break
            case (_, .draining(let reason)) where before.held?.tokens.refresh != nil:
                count(.refusedThenDraining)
                record(reason)
            case (let from, .signedOut(let reason)) where from.isLive:
                let elsewhere: Set<SignedOutReason> = [
                    .deletedExternally, .endedElsewhere, .replaced,
                ]
                if elsewhere.contains(reason) { return }
                count(.refusedThenSignedOut)
                record(reason)
            default: break
            }
        default: break
        }
    }

    private mutating func record(_ reason: SignedOutReason) {
        switch reason {
        case .revoked: count(.refusedRevoked)
        case .lostRotation: count(.refusedLostRotation)
        case .refreshExpired: count(.refusedExpired)
        case .consumeWithoutReturn: count(.consumedWithoutReturn)
        case .never, .user, .everywhere, .accessExpired, .anotherUser, .deletedExternally,
            .endedElsewhere, .replaced, .gaveUp, .renewedTokenRefused, .sessionExpired,
            .experiment:
            break
        }
    }

    private mutating func recordAdoption(_ input: SessionInput, _ effects: [SessionEffect]) {
        guard case .recordLoaded = input, effects.contains(where: \.isAdoption) else { return }
        count(effects.contains(where: \.isUnlock) ? .adoptedInFlight : .adoptedByNotice)
    }
}

extension SessionEffect {
    var isLock: Bool { if case .lockFlight = self { true } else { false } }
    var isUnlock: Bool { if case .unlockFlight = self { true } else { false } }
    fileprivate var isRefusal: Bool {
        if case .emit(let event) = self, event.kind is ActionRejected { true } else { false }
    }
    var isAdoption: Bool {
        if case .emit(let event) = self, event.kind is PairAdopted { true } else { false }
    }
}
