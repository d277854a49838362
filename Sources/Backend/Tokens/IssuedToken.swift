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
