/// Where a dialect or a profile overrides the common renewal policy.
package struct DialectPolicy: Sendable, Hashable {
    /// How long before the access token's end a refresh is due, in seconds; the policy clamps it.
    package var lead: Double?
    /// Sign out after so many transient failures in a row with a dead access token.
    ///
    /// Nil means never, because an outage is not a verdict.
    package var giveUpAfter: Int?
    /// What is done where there is no refresh token.
    package var renewal: Renewal
    /// What follows a renewal that failed.
    package var retry: Retry
    /// Whether automatic renewal waits while the terminal is in the background, as an app's does.
    package var pausesInBackground: Bool
    /// Seconds without a key after which the screen locks; `nil`: never by itself.
    package var lockAfter: Double?
    /// Whether a logout takes with it what else is kept: statistics, lines of logs, the history of
    /// requests, the record without a session.
    package var erasesOnLogout: Bool

    package enum Renewal: String, Sendable, Hashable, CaseIterable {
        /// The session lives as long as its tokens.
        case refresh
        /// Log in again without a person, as a client on its own behalf may.
        case login
    }

    package enum Retry: String, Sendable, Hashable, CaseIterable {
        /// Tried again by itself, later and later.
        case timer
        /// Tried again by whatever needs the access token next, and not before.
        case onUse = "on_use"
    }

    package init(
        lead: Double? = nil,
        giveUpAfter: Int? = nil,
        renewal: Renewal = .refresh,
        retry: Retry = .timer,
        pausesInBackground: Bool = false,
        lockAfter: Double? = nil,
        erasesOnLogout: Bool = false
    ) {
        self.lead = lead
        self.giveUpAfter = giveUpAfter
        self.renewal = renewal
        self.retry = retry
        self.pausesInBackground = pausesInBackground
        self.lockAfter = lockAfter
        self.erasesOnLogout = erasesOnLogout
    }
}

/// What it means that a request is refused again with a renewed access token.
package enum SecondRefusal: String, Sendable, Hashable, CaseIterable {
    /// The session is kept: the backend may be at odds with itself.
    case keep
    /// The session is over.
    case end
}

/// How an open feed goes over to a new access token.
package enum FeedSwitch: Sendable, Hashable {
    /// Open the new socket before the old one is closed.
    case overlap
    /// Close the old socket, then open the new one.
    case restart
    /// Stay until the server closes.
    case keep
    /// Send this on the open socket, with `{access}` replaced by the token.
    case message(template: String)
}
