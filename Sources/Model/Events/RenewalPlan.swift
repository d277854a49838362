package import Basics

/// The next renewal of the pair in use, according to the timers.
///
/// Every text about the next renewal is derived from this value.
package enum RenewalPlan: Sendable, Hashable, Codable {
    /// A timer is set for it.
    case scheduled(at: Instant, RenewalReason)
    /// It is being tried.
    case underWay
    /// It is to be tried, and waits for the flight lock, which another process holds: since then at
    /// least, the one with this id if that is known. A login for the first pair may wait, too.
    case awaitsLock(since: Instant, by: Int? = nil)
    /// No timer starts it.
    case held(RenewalHold)
    /// The pair cannot be renewed; the reason of the session's end once its access token expires.
    case impossible(SignedOutReason)

    /// The plan as the field `plan` of an event has it.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case scheduled
        case underWay
        case awaitsLock
        case held
        case impossible
    }

    package var code: Code {
        switch self {
        case .scheduled: .scheduled
        case .underWay: .underWay
        case .awaitsLock: .awaitsLock
        case .held: .held
        case .impossible: .impossible
        }
    }

    /// When a timer starts the next renewal, or `nil` if none does.
    package var renewsAt: Instant? {
        if case .scheduled(let instant, _) = self { instant } else { nil }
    }

    /// The reason for which that timer was set.
    package var reason: RenewalReason? {
        if case .scheduled(_, let reason) = self { reason } else { nil }
    }

    /// Since when another process is known to hold the flight lock, or `nil` if nothing waits for
    /// it.
    package var lockHeldSince: Instant? {
        if case .awaitsLock(let since, _) = self { since } else { nil }
    }

    /// The id of the process that holds the flight lock, or `nil` if that is not known.
    package var lockHolder: Int? {
        if case .awaitsLock(_, let holder) = self { holder } else { nil }
    }

    var hold: RenewalHold? {
        if case .held(let hold) = self { hold } else { nil }
    }

    /// The reason for which the session ends, or `nil` if it may be renewed.
    package var ending: SignedOutReason? {
        if case .impossible(let reason) = self { reason } else { nil }
    }
}

/// The reason for which a timer that renews was set.
package enum RenewalReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The access token ends soon after.
    case accessTokenEnds
    /// The refresh token ends before the access token is due, and a renewal moves that end on.
    case refreshTokenEnds
    /// The last use of the refresh token, as late as possible.
    case lastUseOfRefreshToken
    /// The refresh token will have ended by then: the backend most likely refuses it.
    case refreshTokenOver
    /// The last renewal spent the refresh token and brought no other, as the profile says: the
    /// backend refuses it.
    case refreshTokenSpent
    /// The last renewal failed.
    case retry
    /// The answer to the last one was lost: the same refresh token is sent again.
    case lostAnswer
    /// The answer to the last one could not be used: the same refresh token is sent again.
    case unusableAnswer
    /// No answer to the last one is on record: the same refresh token is sent again.
    case unrecordedAnswer
    /// The circuit breaker closes.
    case circuitBreakerCloses
}

/// The trigger that a renewal waits for if no timer starts it.
package enum RenewalHold: String, Sendable, Hashable, Codable, CaseIterable {
    /// A refused access token, or the user: the timers are paused.
    case paused
    /// The user: all renewal is paused.
    case user = "person"
    /// The pair in use is only in memory: the next renewal follows once it is stored.
    case unsaved
    /// A refusal of the access token, whose expiry is unknown.
    case rejection
    /// The next request or caller that needs the access token.
    case use
    /// The access token's end: a try is planned then.
    case expiry
}
