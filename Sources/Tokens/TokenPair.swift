/// What authenticates a protected request and the feed (RFC 6749 section 1.4).
package struct AccessToken: Sendable, Hashable {
    package let secret: Secret

    package init(_ secret: Secret) {
        self.secret = secret
    }
}

/// What buys the next pair (RFC 6749 section 1.5).
///
/// A type of its own, so that it cannot be sent where an access token goes.
package struct RefreshToken: Sendable, Hashable {
    package let secret: Secret

    package init(_ secret: Secret) {
        self.secret = secret
    }
}

/// The access and the refresh token that a backend issued together.
///
/// `refresh` is nil where the dialect has none.
package struct TokenPair: Sendable, Hashable {
    package var access: AccessToken
    package var refresh: RefreshToken?

    package init(access: AccessToken, refresh: RefreshToken?) {
        self.access = access
        self.refresh = refresh
    }
}
