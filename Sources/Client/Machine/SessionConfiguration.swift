package import Model
package import Profiles

/// The properties of a profile that the machine needs for its decisions.
package struct SessionConfiguration: Sendable, Hashable {
    /// The session among those of a run.
    var session: SessionID
    var profile: String
    var capabilities: Capabilities
    var rotation: Rotation
    var hasRefreshToken: Bool
    /// Whether a refresh extends a refresh token that it does not replace.
    var refreshSlides: Bool
    /// Whether a refresh spends a refresh token that it does not replace.
    var spendsUnreplaced: Bool
    /// The longest life of a session in seconds, from its login on, or `nil` if not documented.
    var sessionLife: Double?
    /// Whether a login may be repeated without the user, as with client_credentials.
    var renewsByLogin: Bool
    var logInAtStart: Bool
    /// Whether a login may take the place of a session that is alive.
    var loginReplaces = false
    /// Whether a login needs the user's browser.
    var needsBrowser: Bool
    /// The pair that a session begins with, in place of a login, if none is stored.
    var imported: IssuedTokens?
    var renewal: RenewalPolicy
    /// The number of consecutive failures after the access token has expired that ends the session,
    /// or `nil` for no limit.
    var giveUpAfter: Int?
    /// The number of tries of a renewal that follow each other by a timer, after which the next use
    /// of the access token starts the next one; `nil` if timers start them all.
    var attempts: Int?
    /// Whether an access token that is due for renewal, or was refused, is renewed before a request
    /// is sent, which fails if that fails.
    var renewsBeforeUse: Bool
    /// Whether a session that begins with an access token of which nothing states an expiry renews it
    /// first.
    var renewsUnstated: Bool
    /// Whether a refused refresh token ends the session at once, although the access token has not
    /// expired.
    var refusalEnds: Bool
    /// Whether a renewal may bring the token of another user.
    var allowsUserChange: Bool
    /// Whether a refresh itself asks for a scope.
    var refreshNamesScope: Bool
    /// Whether the session ends if a renewed access token is refused as well.
    var secondRefusalEnds: Bool
    /// The tokens that each logout needs; a scope that is missing has no endpoint.
    var logoutNeeds: [LogoutScope: LogoutNeeds]
    /// The values that answers bring besides the tokens, to be sent again.
    var captures: [CaptureReference]
    /// `nil` if there is no feed.
    var feed: FeedConfiguration?

    package init(
        session: SessionID? = nil,
        profile: String,
        capabilities: Capabilities,
        rotation: Rotation,
        hasRefreshToken: Bool = true,
        refreshSlides: Bool = false,
        spendsUnreplaced: Bool = false,
        sessionLife: Double? = nil,
        renewsByLogin: Bool = false,
        logInAtStart: Bool = true,
        needsBrowser: Bool = false,
        imported: IssuedTokens? = nil,
        renewal: RenewalPolicy = RenewalPolicy(),
        giveUpAfter: Int? = nil,
        attempts: Int? = nil,
        renewsBeforeUse: Bool = false,
        renewsUnstated: Bool = false,
        refusalEnds: Bool = false,
        allowsUserChange: Bool = false,
        refreshNamesScope: Bool = false,
        secondRefusalEnds: Bool = false,
        logoutNeeds: [LogoutScope: LogoutNeeds] = [:],
        captures: [CaptureReference] = [],
        feed: FeedConfiguration? = nil
    ) {
        self.session = session ?? SessionID(profile)
        self.profile = profile
        self.capabilities = capabilities
        self.rotation = rotation
        self.hasRefreshToken = hasRefreshToken
        self.refreshSlides = refreshSlides
        self.spendsUnreplaced = spendsUnreplaced
        self.sessionLife = sessionLife
        self.renewsByLogin = renewsByLogin
        self.logInAtStart = logInAtStart
        self.needsBrowser = needsBrowser
        self.imported = imported
        self.renewal = renewal
        self.giveUpAfter = giveUpAfter
        self.attempts = attempts
        self.renewsBeforeUse = renewsBeforeUse
        self.renewsUnstated = renewsUnstated
        self.refusalEnds = refusalEnds
        self.allowsUserChange = allowsUserChange
        self.refreshNamesScope = refreshNamesScope
        self.secondRefusalEnds = secondRefusalEnds
        self.logoutNeeds = logoutNeeds
        self.captures = captures
        self.feed = feed
    }
}

/// The configuration of a profile's feed.
package struct FeedConfiguration: Sendable, Hashable {
    var following: FeedFollowing
    /// Whether a dial requests the messages after the last one applied.
    var asksSince: Bool
    var carrier: FeedCarrier
    /// The messages to send on its sockets, and those to expect.
    var script: FeedScript

    package init(
        following: FeedFollowing,
        asksSince: Bool,
        carrier: FeedCarrier = .webSocket,
        script: FeedScript = .silent
    ) {
        self.following = following
        self.asksSince = asksSince
        self.carrier = carrier
        self.script = script
    }
}

extension SessionConfiguration {
    /// The rules of refreshes, for the ledger.
    var rules: SessionLedger.Rules {
        SessionLedger.Rules(
            rotation: rotation,
            refreshSlides: refreshSlides,
            spendsUnreplaced: spendsUnreplaced,
            sessionLife: sessionLife
        )
    }
}
