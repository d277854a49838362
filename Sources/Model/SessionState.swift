package import Basics
package import Profiles

/// The state of a session.
///
/// The event or the snapshot has the generation.
///
/// Indirect where it is large, because every step compares it.
package enum SessionState: Sendable, Hashable, Codable {
    /// Reading the vault.
    case cold
    /// The vault is unreadable, locked or corrupt: not the same as signed out.
    indirect case vaultUnavailable(VaultProblem)
    case signedOut(SignedOutReason)
    case signingIn
    /// The access token is good and no renewal is due.
    case fresh
    /// The first attempt of a renewal is in progress; the access token is still usable.
    case renewing
    /// The last try failed; the access token is still good.
    indirect case retrying(RetryOutlook)
    /// The access token may no longer be used and a flight is in progress; callers wait.
    case blocked
    /// The access token has ended, the refresh token is believed good; whether the backend answers
    /// is another matter (`Reachability`).
    indirect case expired(RetryOutlook)
    /// A refresh was sent and its answer lost or unusable: the same token is sent again.
    indirect case unknown(RetryOutlook)
    /// The refresh token is definitively refused; the access token is good until `usableUntil`.
    case draining(SignedOutReason)
    /// Erased locally; the revocation is pending.
    case signingOut(LogoutScope)

    /// The names in recordings.
    private enum CodingKeys: String, CodingKey {
        case cold, vaultUnavailable, signedOut, signingIn, fresh, renewing, retrying, blocked
        case expired = "offline"
        case unknown, draining, signingOut
    }
}

extension SessionState {
    /// The state's name, as the field `from` or `to` of an event has it.
    package var name: String {
        switch self {
        case .cold: "cold"
        case .vaultUnavailable: "vaultUnavailable"
        case .signedOut: "signedOut"
        case .signingIn: "signingIn"
        case .fresh: "fresh"
        case .renewing: "renewing"
        case .retrying: "retrying"
        case .blocked: "blocked"
        case .expired: "expired"
        case .unknown: "unknown"
        case .draining: "draining"
        case .signingOut: "signingOut"
        }
    }

    /// The last failure and the next attempt, or `nil` if there is no failure that still counts.
    package var outlook: RetryOutlook? {
        switch self {
        case .retrying(let outlook), .expired(let outlook), .unknown(let outlook): outlook
        case .cold, .vaultUnavailable, .signedOut, .signingIn, .fresh, .renewing, .blocked,
            .draining, .signingOut:
            nil
        }
    }

    /// Whether a pair is held, usable or not.
    package var isLive: Bool {
        switch self {
        case .fresh, .renewing, .retrying, .blocked, .expired, .unknown, .draining: true
        case .cold, .vaultUnavailable, .signedOut, .signingIn, .signingOut: false
        }
    }
}

/// The last failure, and the time of the next try.
package struct RetryOutlook: Sendable, Hashable, Codable {
    /// Failures in a row, counted from 1.
    package var failures: Int
    package var failure: RefreshFailure
    /// When the next attempt begins; `nil` during an attempt, or if no timer starts the next one.
    package var nextAt: Instant?
    /// The trigger of the next attempt if no timer starts it.
    package var hold: Hold?
    /// Before this, no use of the access token starts the next attempt.
    package var notBefore: Instant?

    package enum Hold: String, Sendable, Hashable, Codable, CaseIterable {
        /// The next use of the access token.
        case use
        /// The access token's end.
        case expiry
        /// The user, or the next use of the access token, because renewal is paused.
        case paused
    }

    package init(
        failures: Int,
        failure: RefreshFailure,
        nextAt: Instant?,
        hold: Hold? = nil,
        notBefore: Instant? = nil
    ) {
        self.failures = failures
        self.failure = failure
        self.nextAt = nextAt
        self.hold = hold
        self.notBefore = notBefore
    }
}

/// Why a session ended, or that there has been none.
package enum SignedOutReason: String, Sendable, Hashable, Codable, CaseIterable {
    case never
    /// The user logged out here.
    case user
    /// The user logged out everywhere.
    case everywhere
    case refreshExpired
    /// The backend says that the session was unused for too long, or has reached its longest life.
    case sessionExpired
    /// The access token expired and cannot be renewed.
    case accessExpired
    /// The backend refused a refresh token that was never sent before.
    case revoked
    /// A refresh brought no usable answer, and the backend no longer knows the old token.
    case lostRotation
    /// The backend refused a refresh token that it had accepted once and not replaced: spent by
    /// that use, as far as is known.
    case consumeWithoutReturn
    /// A renewal brought another user's token, which is not used.
    case anotherUser
    /// The stored record was removed, and no reason is known.
    case deletedExternally
    /// The user logged out in another process.
    case endedElsewhere
    /// Another process has logged in as another user.
    case replaced
    /// The number of failures reached the limit of the profile.
    case gaveUp
    /// A request was refused again with a renewed access token.
    case renewedTokenRefused
    /// The backend refused the refresh token after an experiment had used it, or the one before it,
    /// twice.
    case experiment
}

/// Flags that change the meaning of the present state.
package struct SessionFlags: Sendable, Hashable {
    /// The causes that have paused renewal, each with its extent.
    package var pauses: [PauseCause: PauseExtent] = [:]
    /// The rotated pair is only in memory: why it could not be saved.
    package var unsaved: VaultProblem?
    /// The breaker is open until then: the server rejects fresh tokens.
    package var breakerOpenUntil: Instant?

    package init() {}

    package var isPaused: Bool { !pauses.isEmpty }
}

/// The part of the renewal that is paused.
package enum PauseExtent: String, Sendable, Hashable, Codable, CaseIterable {
    /// Timers do not renew: only a refused access token or the user does.
    case timer
    /// Only the user renews: refusals are shown, and have no other effect.
    case all
}

/// The origin of a pause of renewal, which only the same origin ends.
///
/// During a pause by the user, requests are still sent with the access token in use, also after it
/// has expired: the purpose of the pause is to see the backend's response.
package enum PauseCause: String, Sendable, Hashable, Codable, CaseIterable {
    case user = "person"
    /// The terminal is in the background, and the profile renews in the foreground only.
    case background
}

extension SignedOutReason {
    /// Whether the user expects the session to be over.
    package var isWanted: Bool {
        switch self {
        case .never, .user, .everywhere, .endedElsewhere: true
        case .refreshExpired, .sessionExpired, .accessExpired, .revoked, .lostRotation,
            .consumeWithoutReturn, .anotherUser, .deletedExternally, .replaced, .gaveUp,
            .renewedTokenRefused, .experiment:
            false
        }
    }
}
