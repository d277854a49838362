import Basics
package import Profiles

/// The capabilities of a profile, for hints and texts.
package struct Capabilities: Sendable, Hashable, Codable {
    package var dialect: String
    package var title: String
    package var baseURL: String
    package var rotation: Rotation
    package var logoutScopes: Set<LogoutScope>
    package var hasFeed: Bool
    /// The protocol of the feed, or `nil` if there is none or a recording does not say it.
    package var feedKind: FeedKind?
    package var hasProtectedRequest: Bool
    /// Where the pair is kept, as text.
    package var vault: String
    /// Seconds between automatic protected requests, or `nil` if there are none.
    package var requestEvery: Double?
    /// Whether it lists the user's active sessions.
    package var listsSessions: Bool
    /// Whether it ends one of them.
    package var endsSessions: Bool
    /// Whether the login is repeated without the user in place of a refresh.
    var renewsByLogin: Bool
    /// The place in a response where the lifetime of an access token is stated in seconds, or `nil`
    /// if there is none.
    package var lifetimePlace: String?
    /// The questions about the tokens that the server can be asked, or `nil` in a recording without
    /// them.
    package var questions: [TokenQuestion]?
    /// The form of a protected request that carries the token, or `nil` if a recording does not say
    /// it.
    package var requestTemplate: RequestTemplate?
    /// The request of a refresh, or `nil` if there is none or a recording does not say it.
    package var refreshRequest: RequestLine?
    /// The lifetimes that the profile documents, or `nil` if a recording does not say them.
    var documented: DocumentedLifetimes?
    /// The owner of the session, or `nil` if a recording does not say it.
    package var role: SessionRole?

    package init(
        dialect: String,
        title: String,
        baseURL: String,
        rotation: Rotation,
        logoutScopes: Set<LogoutScope>,
        hasFeed: Bool,
        feedKind: FeedKind? = nil,
        hasProtectedRequest: Bool,
        vault: String,
        requestEvery: Double?,
        listsSessions: Bool = false,
        endsSessions: Bool = false,
        renewsByLogin: Bool = false,
        lifetimePlace: String? = nil,
        questions: [TokenQuestion]? = nil,
        requestTemplate: RequestTemplate? = nil,
        refreshRequest: RequestLine? = nil,
        documented: DocumentedLifetimes? = nil,
        role: SessionRole? = nil
    ) {
        self.dialect = dialect
        self.title = title
        self.baseURL = baseURL
        self.rotation = rotation
        self.logoutScopes = logoutScopes
        self.hasFeed = hasFeed
        self.feedKind = feedKind
        self.hasProtectedRequest = hasProtectedRequest
        self.vault = vault
        self.requestEvery = requestEvery
        self.listsSessions = listsSessions
        self.endsSessions = endsSessions
        self.renewsByLogin = renewsByLogin
        self.lifetimePlace = lifetimePlace
        self.questions = questions
        self.requestTemplate = requestTemplate
        self.refreshRequest = refreshRequest
        self.documented = documented
        self.role = role
    }
}

extension Capabilities: EventKind {
    package static let name = "capabilities"
    package static let recordedAs = "capabilities._0"
    package static let summary =
        "A session is watched from now on; the first event of each, and again once its profile was "
        + "edited."
    package static let fields: [EventField<Capabilities>] = [
        .integer("schema", "The version of this schema.") { _ in EventSchema.version },
        .text("dialect", "The dialect that its profile is made of.") { $0.dialect },
        .text("baseURL", "Where the backend is.") { $0.baseURL },
        .choice("rotation", "Whether a refresh brings a new refresh token.") {
            $0.rotation
        },
        .list("logout", "The logouts that the backend offers: this, everywhere.") {
            $0.logoutScopes.map(\.rawValue).sorted().map(JSONValue.string)
        },
        .flag("feed", "Whether a feed is followed.") { $0.hasFeed },
        .text("vault", "Where the pair of tokens is kept.") { $0.vault },
    ]

    package static let isLasting = true
    package static let isReported = false
    package var kept: (any EventKind)? { nil }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.capabilities = self
    }
}

/// The owner of a session.
package enum SessionRole: String, Sendable, Hashable, Codable, CaseIterable {
    /// This program's.
    case own
    /// That of an app whose traffic is watched.
    case observed
}
