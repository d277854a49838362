import Basics
import Profiles

/// One login and everything that was issued because of it.
struct Family: Sendable {
    let policy: String
    let user: BackendUser
    /// The session's id in a list of devices.
    let session: String
    /// The grant for a resource, or `nil` if the login named none.
    var grant: ResourceGrant?
    /// The program or device that logged in, if its request says so.
    var name: String?
    /// Seconds since 1970.
    let startedAt: Double
    /// The current generation; the login's pair is 1.
    var generation = 1
    /// The latest refresh token, or `nil` after it was spent without a successor.
    var refresh: RefreshToken?
    /// The expiry of the latest refresh token, in seconds since 1970.
    var refreshDeadline: Double
    var spent = 0
    /// The latest access token.
    var access: AccessToken?
    /// The expiry of the access token that lives longest, in seconds since 1970.
    var accessDeadline = 0.0
    var end: FamilyEnd?
    /// Identifies the key that its tokens are bound to, or `nil` if they are bound to none.
    var proofKey: String?
    /// The tokens that stay valid until a token of a later generation is used; see
    /// `ReusePolicy.oldLivesUntilNewUsed`.
    var superseded: [RefreshToken] = []
    var refreshTokens = TokenHistory<RefreshToken>()
    var accessTokens = TokenHistory<AccessToken>()

    /// The expiry of its last valid token, in seconds since 1970.
    var deadline: Double { max(refresh == nil ? 0 : refreshDeadline, accessDeadline) }

    func isActive(at now: Double) -> Bool {
        end == nil && now < deadline
    }

    func hasBeenOver(for seconds: Double, at now: Double) -> Bool {
        now - min(end?.at ?? .infinity, deadline) > seconds
    }
}

/// The end of a session, and the reason for it.
struct FamilyEnd: Sendable, Hashable {
    enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        case logout
        /// A logout of all sessions, possibly sent by another session.
        case logoutEverywhere
        /// A spent refresh token was used again.
        case reuse
        /// The operator of the backend revoked the session.
        case revoked
    }

    var reason: Reason
    /// Seconds since 1970.
    var at: Double
}

/// The latest tokens of one kind that a family was issued, the oldest first.
struct TokenHistory<Token: Sendable>: Sendable {
    /// The number of tokens above which the oldest are forgotten; they then count as never issued.
    static var capacity: Int { 256 }

    private var storage: [Token] = []
    private var oldest = 0

    /// - Returns: The token that was forgotten to make room, or `nil` if none was.
    mutating func append(_ token: Token) -> Token? {
        guard storage.count == Self.capacity else {
            storage.append(token)
            return nil
        }
        let evicted = storage[oldest]
        storage[oldest] = token
        oldest = (oldest + 1) % Self.capacity
        return evicted
    }

    var elements: [Token] {
        Array(storage[oldest...] + storage[..<oldest])
    }
}

/// The backend's record of a refresh token.
struct IssuedRefresh: Sendable {
    let family: Int
    let generation: Int
    /// Seconds since 1970; moves if the lifetime slides and the token stays the same.
    var expiresAt: Double
    var use = RefreshUse.unused
}

/// The backend's record of an access token.
struct IssuedAccess: Sendable {
    let family: Int
    let generation: Int
    /// The audience that it states, or `nil` if it states none.
    let audience: String?
    /// Seconds since 1970.
    let expiresAt: Double
}
