import Dialects
import Tokens

/// One login and everything that was issued because of it.
struct Family: Sendable {
    let policy: String
    let user: BackendUser
    /// What a list of devices calls it.
    let session: String
    /// Seconds since 1970.
    let startedAt: Double
    /// The login's pair is 1.
    var generation = 1
    /// Handed out last, or `nil` once it was spent without a successor.
    var refresh: RefreshToken?
    /// Seconds since 1970, of the refresh token handed out last.
    var refreshDeadline: Double
    var spent = 0
    /// Handed out last.
    var access: AccessToken?
    /// Seconds since 1970, of the access token that lives longest.
    var accessDeadline = 0.0
    var end: FamilyEnd?
    /// Alive until a token of a later generation is used; see `ReusePolicy.oldLivesUntilNewUsed`.
    var superseded: [RefreshToken] = []
    var refreshTokens = TokenHistory<RefreshToken>()
    var accessTokens = TokenHistory<AccessToken>()

    /// Seconds since 1970: when the last of its tokens ends.
    var deadline: Double { max(refresh == nil ? 0 : refreshDeadline, accessDeadline) }

    func isActive(at now: Double) -> Bool {
        end == nil && now < deadline
    }

    func hasBeenOver(for seconds: Double, at now: Double) -> Bool {
        now - min(end?.at ?? .infinity, deadline) > seconds
    }
}

/// Why a session is over.
package struct FamilyEnd: Sendable, Hashable {
    package enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
        case logout
        /// A logout of all sessions, which may have come from another one.
        case logoutEverywhere
        /// A spent refresh token was used again.
        case reuse
        /// Somebody with power over the backend did it.
        case revoked
    }

    package var reason: Reason
    /// Seconds since 1970.
    package var at: Double
}

/// The latest tokens of one kind that a family was given, oldest first.
struct TokenHistory<Token: Sendable>: Sendable {
    /// Older ones are forgotten, and then count as never issued.
    static var capacity: Int { 256 }

    private var storage: [Token] = []
    private var oldest = 0

    /// - Returns: The token that had to go.
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

/// What the backend remembers of a refresh token.
struct IssuedRefresh: Sendable {
    let family: Int
    let generation: Int
    /// Seconds since 1970; moves where a lifetime slides and the token stays.
    var expiresAt: Double
    var use = RefreshUse.unused
}

/// What the backend remembers of an access token.
struct IssuedAccess: Sendable {
    let family: Int
    let generation: Int
    /// Seconds since 1970.
    let expiresAt: Double
}
