package import Dialects

/// What the machine must know of a profile to decide.
package struct SessionConfiguration: Sendable, Hashable {
    /// Which of the sessions of a run it is.
    package var session: SessionID
    package var profile: String
    package var capabilities: Capabilities
    package var rotation: Rotation
    package var hasRefreshToken: Bool
    /// Whether a refresh moves on the end of a refresh token that it does not replace.
    package var refreshSlides: Bool
    /// Whether a login may be repeated without a person, as client_credentials may.
    package var renewsByLogin: Bool
    package var logInAtStart: Bool
    /// What the session begins with where nothing is stored, in place of a login.
    package var imported: IssuedTokens?
    package var renewal: RenewalPolicy
    /// Failures in a row with a dead access token after which the session is given up; nil: never.
    package var giveUpAfter: Int?
    /// Whether a renewal that failed is tried again by the next use, and not by a timer.
    package var retriesOnUse: Bool
    /// Whether the session is over once a renewed access token is refused as well.
    package var secondRefusalEnds: Bool
    /// Which tokens each logout holds; a scope that is missing has no endpoint.
    package var logoutNeeds: [LogoutScope: LogoutNeeds]
    /// `nil` if there is no feed.
    package var feed: FeedTraits?

    package init(
        session: SessionID? = nil,
        profile: String,
        capabilities: Capabilities,
        rotation: Rotation,
        hasRefreshToken: Bool = true,
        refreshSlides: Bool = false,
        renewsByLogin: Bool = false,
        logInAtStart: Bool = true,
        imported: IssuedTokens? = nil,
        renewal: RenewalPolicy = RenewalPolicy(),
        giveUpAfter: Int? = nil,
        retriesOnUse: Bool = false,
        secondRefusalEnds: Bool = false,
        logoutNeeds: [LogoutScope: LogoutNeeds] = [:],
        feed: FeedTraits? = nil
    ) {
        self.session = session ?? SessionID(profile)
        self.profile = profile
        self.capabilities = capabilities
        self.rotation = rotation
        self.hasRefreshToken = hasRefreshToken
        self.refreshSlides = refreshSlides
        self.renewsByLogin = renewsByLogin
        self.logInAtStart = logInAtStart
        self.imported = imported
        self.renewal = renewal
        self.giveUpAfter = giveUpAfter
        self.retriesOnUse = retriesOnUse
        self.secondRefusalEnds = secondRefusalEnds
        self.logoutNeeds = logoutNeeds
        self.feed = feed
    }
}

/// What the machine must know of a profile's feed.
package struct FeedTraits: Sendable, Hashable {
    package var following: FeedFollowing
    /// Whether a socket asks for what came since the last message.
    package var asksSince: Bool

    package init(following: FeedFollowing, asksSince: Bool) {
        self.following = following
        self.asksSince = asksSince
    }
}

extension SessionConfiguration {
    /// What the ledger must know of refreshes.
    var rules: SessionLedger.Rules {
        SessionLedger.Rules(rotation: rotation, refreshSlides: refreshSlides)
    }
}
