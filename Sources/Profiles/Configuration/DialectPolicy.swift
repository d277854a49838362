/// The settings of a dialect or a profile that override the default refresh policy.
package struct DialectPolicy: Sendable, Hashable {
    /// The time before the access token's expiry at which a refresh is due, in seconds; clamped by
    /// the policy.
    package var lead: Double?
    /// The number of consecutive transient failures with an expired access token after which to
    /// sign out.
    ///
    /// `nil` means never, because an outage does not invalidate a session.
    package var giveUpAfter: Int?
    /// The way to renew the session if there is no refresh token.
    package var renewal: Renewal = .refresh
    /// The reaction to a failed refresh.
    package var retry: Retry = .timer
    /// The number of tries of a refresh that follow each other by a timer, after which the next use
    /// of the access token starts the next one; `nil` if timers start them all.
    package var attempts: Int?
    /// The use of the access token by a request while the token is due for renewal.
    package var whenDue: WhenDue = .use
    /// The first step of a session whose first access token states no expiry.
    package var unknownExpiry: UnknownExpiry = .use
    /// The meaning of a refused refresh token for an access token that has not expired.
    package var afterRefusal: AfterRefusal = .drain
    /// The use of a renewed token that belongs to another user (OpenID Connect Core 12.2).
    package var anotherUser: AnotherUser = .refuse
    /// Whether automatic refreshes pause while the terminal is in the background, as an app's do.
    package var pausesInBackground: Bool = false
    /// The seconds without a key press after which the screen locks, or `nil` for never.
    package var lockAfter: Double?
    /// Whether a logout also erases the statistics, log lines, the history of requests, and the
    /// record without a session.
    package var erasesOnLogout: Bool = false

    package enum Renewal: String, Sendable, Hashable, CaseIterable {
        /// The session lasts as long as its tokens.
        case refresh
        /// Log in again without the user, as a client may that acts on its own behalf.
        case login
    }

    package enum Retry: String, Sendable, Hashable, CaseIterable {
        /// Retry automatically with increasing delays.
        case timer
        /// Retry when the access token is needed next, and not before.
        case onUse = "on_use"
    }

    package enum WhenDue: String, Sendable, Hashable, CaseIterable {
        /// It uses the access token, which is renewed at the same time.
        case use
        /// It waits for the renewal, and fails if that fails.
        case wait
    }

    package enum UnknownExpiry: String, Sendable, Hashable, CaseIterable {
        /// It uses the access token.
        case use
        /// It renews the access token, as if it had expired.
        case renew
    }

    package enum AnotherUser: String, Sendable, Hashable, CaseIterable {
        /// It is neither used nor stored, and the session ends with the access token in use.
        case refuse
        /// It is used as any other.
        case use
    }

    package enum AfterRefusal: String, Sendable, Hashable, CaseIterable {
        /// It is used until it expires or is refused, and the session ends then.
        case drain
        /// The session ends at once, and both tokens are erased.
        case end
    }
}

/// The meaning of a second rejection after the access token was refreshed.
package enum SecondRefusal: String, Sendable, Hashable, CaseIterable {
    /// The session is kept, because the backend may be inconsistent.
    case keep
    /// The session has ended.
    case end
}

/// The way in which an open feed changes to a new access token.
package enum FeedSwitch: String, Sendable, Hashable, CaseIterable {
    /// Open the new socket before the old one is closed.
    case overlap
    /// Close the old socket before the new one is opened.
    case restart
    /// Keep the socket until the server closes it.
    case keep
    /// Say the messages for a renewal on the open socket.
    case message
}
