package import Profiles

/// The backend's treatment of the tokens of one dialect, whose sessions are separate from those of
/// other dialects.
package struct BackendPolicy: Sendable, Equatable {
    /// The name of the dialect.
    package var name: String
    /// The names of the credentials that a login requires; if empty, every login is rejected.
    var credentials: [String]
    /// The other ways to log in, each of which applies if exactly its credentials are given.
    var otherLogins: [LoginOption]
    var formats: TokenFormats
    /// Whether the backend issues refresh tokens; if not, only another login yields another access
    /// token.
    package var hasRefreshToken: Bool
    /// The logouts that are acknowledged even if the request does not identify a session.
    var anonymousLogouts: Set<LogoutScope>
    /// Seconds, from 0 to `longestLifetime`.
    package var accessLifetime: Double { didSet { accessLifetime = Self.bounded(accessLifetime) } }
    /// Seconds, from 0 to `longestLifetime`.
    package var refreshLifetime: Double {
        didSet { refreshLifetime = Self.bounded(refreshLifetime) }
    }
    /// Whether each refresh restarts the refresh token's lifetime; otherwise it counts from the
    /// login.
    package var refreshSlides: Bool
    package var rotation: RotationBehavior
    package var reuse: ReusePolicy
    /// Whether the access token of a session for a resource states it, and the granted scope.
    var statesAudience = true
    var statesScope = true

    /// A century, in seconds.
    static let longestLifetime = 3_155_760_000.0

    package init(
        name: String,
        credentials: [String],
        otherLogins: [LoginOption] = [],
        formats: TokenFormats,
        hasRefreshToken: Bool = true,
        anonymousLogouts: Set<LogoutScope> = [],
        accessLifetime: Double,
        refreshLifetime: Double,
        refreshSlides: Bool,
        rotation: RotationBehavior,
        reuse: ReusePolicy = .strict
    ) {
        self.name = name
        self.credentials = credentials
        self.otherLogins = otherLogins
        self.formats = formats
        self.hasRefreshToken = hasRefreshToken
        self.anonymousLogouts = anonymousLogouts
        self.accessLifetime = Self.bounded(accessLifetime)
        self.refreshLifetime = Self.bounded(refreshLifetime)
        self.refreshSlides = refreshSlides
        self.rotation = rotation
        self.reuse = reuse
    }

    /// Returns the way to log in that requires exactly the given credentials.
    func login(with given: Set<String>) -> LoginOption {
        let usual = LoginOption(
            credentials: Set(credentials),
            bringsRefreshToken: hasRefreshToken
        )
        guard given != usual.credentials else { return usual }
        return otherLogins.first { $0.credentials == given } ?? usual
    }

    /// Returns the effect of a refresh in a session with this grant.
    ///
    /// A session for a resource is that of a public client, whose refresh tokens are replaced (RFC 9700
    /// section 4.14.2) unless the dialect says otherwise.
    func rotation(of grant: ResourceGrant?) -> RotationBehavior {
        grant != nil && rotation == .keepsSilently ? .replaces : rotation
    }

    private static func bounded(_ seconds: Double) -> Double {
        seconds.isNaN ? 0 : min(max(seconds, 0), longestLifetime)
    }
}

extension BackendPolicy {
    /// The lifetimes if the documentation states none: 15 minutes and 7 days, in seconds.
    package static let defaultLifetimes = (access: 900.0, refresh: 604_800.0)

    /// Creates the policy that a dialect documents.
    ///
    /// - Parameters:
    ///   - dialect: The dialect whose sessions it governs.
    ///   - accessLifetime: Seconds, in place of the documented lifetime.
    ///   - refreshLifetime: Seconds, in place of the documented lifetime.
    ///   - reuse: The reuse policy, in place of the documented one.
    package init(
        of dialect: Dialect,
        accessLifetime: Double? = nil,
        refreshLifetime: Double? = nil,
        reuse: ReusePolicy? = nil
    ) {
        let documented = dialect.lifetimes
        self.init(
            name: dialect.name,
            credentials: dialect.credentials.map(\.name),
            otherLogins: dialect.otherLoginOptions,
            formats: dialect.tokens,
            hasRefreshToken: dialect.hasRefreshToken,
            anonymousLogouts: dialect.anonymousLogouts,
            accessLifetime: accessLifetime ?? documented.access ?? Self.defaultLifetimes.access,
            refreshLifetime: refreshLifetime ?? documented.refresh ?? Self.defaultLifetimes.refresh,
            refreshSlides: documented.refreshSlides,
            rotation: RotationBehavior(of: dialect),
            reuse: reuse ?? ReusePolicy(dialect.reuse)
        )
    }
}

/// The effect of a refresh on the refresh token.
package enum RotationBehavior: String, Sendable, Hashable, CaseIterable, Codable {
    /// The response contains a new refresh token.
    case replaces
    /// The response contains the same refresh token.
    case keeps
    /// The response contains no refresh token, and the old one stays valid.
    case keepsSilently
    /// The response contains no refresh token, and the old one is spent: no further refresh is
    /// possible.
    case consumes

    /// The behavior that a dialect documents; if it is unspecified, the one with which sessions
    /// continue.
    init(of dialect: Dialect) {
        switch dialect.rotation {
        case .always: self = .replaces
        case .never: self = .keeps
        case .maybe: self = dialect.refreshIsOneTime ? .consumes : .keepsSilently
        }
    }
}
