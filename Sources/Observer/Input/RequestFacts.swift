package import Basics
package import Model
package import Profiles

/// What an exchange is for.
package enum ExchangePurpose: String, Sendable, Hashable, Codable, CaseIterable {
    case login
    case refresh
    case logout
    /// It presents an access token.
    case protected
    /// A question about a token (RFC 7662), or about its user.
    case question
    /// The upgrade to a WebSocket.
    case socket
    /// A stream of events, which is a socket that only listens.
    case stream
    /// A question of a browser before a request to another origin (CORS).
    case preflight
    case other

    /// Whether it opens something that stays open with the token that it presented.
    package var isSocket: Bool { self == .socket || self == .stream }
}

/// A request, without its secrets.
package struct RequestFacts: Sendable, Hashable, Codable {
    /// The number of the app's connection, from 1 over the run.
    package var connection: Int
    package var client: ObservedClient
    package var origin: String
    package var method: String
    /// Path and query, with a fingerprint or a mark in place of what may be secret.
    package var target: String
    /// The path, with `:id` in place of what varies.
    package var template: String
    /// `grant_type`, or the name of a GraphQL operation: what tells requests with one path apart.
    package var discriminator: String?
    /// When its head was read.
    package var startedAt: Moment
    /// What it is for, if it says so itself.
    package var purpose: ExchangePurpose?
    package var confidence: TokenLink.Confidence
    /// Whether it contains credentials of a user or a client.
    package var hasCredentials: Bool
    /// Whether its path names a refresh.
    package var isNamedRefresh: Bool
    package var sightings: [TokenOccurrence]
    package var flaws: [CredentialFlaw]
    /// Tells two bodies apart.
    package var bodyDigest: Fingerprint?
    /// The fields of a body with tokens or credentials.
    package var body: BodyFacts?
    /// The beginning of any other body, if those are kept.
    package var excerpt: BodyExcerpt?
    /// Whether the client authenticates itself by Basic (RFC 7617).
    package var usesBasic: Bool
    /// The headers that repeat a cookie's value, against forged requests, with the cookies' names.
    package var repeatedCookies: [String: String]?
    /// The test that sent it, as it says itself in `X-Authtop-Mark`.
    package var mark: String?

    package init(
        connection: Int,
        client: ObservedClient,
        origin: String,
        method: String,
        target: String,
        template: String,
        discriminator: String? = nil,
        startedAt: Moment,
        purpose: ExchangePurpose? = nil,
        confidence: TokenLink.Confidence = .likely,
        hasCredentials: Bool = false,
        isNamedRefresh: Bool = false,
        sightings: [TokenOccurrence] = [],
        flaws: [CredentialFlaw] = [],
        bodyDigest: Fingerprint? = nil,
        body: BodyFacts? = nil,
        excerpt: BodyExcerpt? = nil,
        usesBasic: Bool = false,
        repeatedCookies: [String: String]? = nil,
        mark: String? = nil
    ) {
        self.connection = connection
        self.client = client
        self.origin = origin
        self.method = method
        self.target = target
        self.template = template
        self.discriminator = discriminator
        self.startedAt = startedAt
        self.purpose = purpose
        self.confidence = confidence
        self.hasCredentials = hasCredentials
        self.isNamedRefresh = isNamedRefresh
        self.sightings = sightings
        self.flaws = flaws
        self.bodyDigest = bodyDigest
        self.body = body
        self.excerpt = excerpt
        self.usesBasic = usesBasic
        self.repeatedCookies = repeatedCookies
        self.mark = mark
    }

    /// The method and the path, which name an endpoint.
    package var endpoint: String { "\(method) \(template)" }

    /// Whether it has a body that a repeated request would repeat.
    package func isRepeat(of other: RequestFacts) -> Bool {
        method == other.method && target == other.target && bodyDigest == other.bodyDigest
    }
}
