package import Dialects

/// How the tokens of one dialect live: its sessions are apart from those of every other.
package struct BackendPolicy: Sendable, Equatable {
    /// The dialect's.
    package var name: String
    /// What a login must give, by name; without any, every login is rejected.
    package var credentials: [String]
    /// The other ways to log in; one is taken where exactly its credentials are given.
    package var otherLogins: [LoginOption]
    package var formats: TokenFormats
    /// False where only another login brings another access token.
    package var hasRefreshToken: Bool
    /// The logouts that are acknowledged whether or not the request tells whose session is meant.
    package var anonymousLogouts: Set<LogoutScope>
    /// Seconds, from 0 to `longestLifetime`.
    package var accessLifetime: Double { didSet { accessLifetime = Self.bounded(accessLifetime) } }
    /// Seconds, from 0 to `longestLifetime`.
    package var refreshLifetime: Double {
        didSet { refreshLifetime = Self.bounded(refreshLifetime) }
    }
    /// Whether a refresh counts the refresh token's lifetime anew; else it counts from the login.
    package var refreshSlides: Bool
    package var rotation: RotationBehavior
    package var reuse: ReusePolicy

    /// A century, in seconds.
    package static let longestLifetime = 3_155_760_000.0

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

    /// The way to log in that takes what was given.
    func login(with given: Set<String>) -> LoginOption {
        let usual = LoginOption(
            credentials: Set(credentials),
            bringsRefreshToken: hasRefreshToken
        )
        guard given != usual.credentials else { return usual }
        return otherLogins.first { $0.credentials == given } ?? usual
    }

    private static func bounded(_ seconds: Double) -> Double {
        seconds.isNaN ? 0 : min(max(seconds, 0), longestLifetime)
    }
}

extension BackendPolicy {
    /// Where the documentation states no lifetime: 15 minutes and 7 days, in seconds.
    package static let defaultLifetimes = (access: 900.0, refresh: 604_800.0)

    /// The policy that a dialect documents.
    ///
    /// - Parameters:
    ///   - dialect: Whose sessions it holds.
    ///   - accessLifetime: Seconds, in place of the documented ones.
    ///   - refreshLifetime: Seconds, in place of the documented ones.
    ///   - reuse: No documentation states it precisely.
    package init(
        of dialect: Dialect,
        accessLifetime: Double? = nil,
        refreshLifetime: Double? = nil,
        reuse: ReusePolicy = .strict
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
            reuse: reuse
        )
    }
}

/// What a refresh does to the refresh token.
package enum RotationBehavior: String, Sendable, Hashable, CaseIterable, Codable {
    /// The answer holds a new one.
    case replaces
    /// The answer holds the same one.
    case keeps
    /// The answer holds none, and the old one goes on living.
    case keepsSilently
    /// The answer holds none, and the old one is spent: nothing can be renewed any more.
    case consumes

    /// The behavior that a dialect documents; where it leaves it open, sessions live on.
    package init(of dialect: Dialect) {
        switch dialect.rotation {
        case .always: self = .replaces
        case .never: self = .keeps
        case .maybe: self = dialect.refreshIsOneTime ? .consumes : .keepsSilently
        }
    }
}
