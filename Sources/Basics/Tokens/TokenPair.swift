/// The credential for protected requests and the feed (RFC 6749 section 1.4).
package struct AccessToken: Sendable, Hashable {
    package let secret: Secret

    package init(_ secret: Secret) {
        self.secret = secret
    }

    /// The token with one character changed: in the middle of a JWT's signature, or in the last
    /// third of another token.
    package var corrupted: AccessToken {
        var characters = Array(secret.reveal())
        guard !characters.isEmpty else { return self }
        let dot = characters.lastIndex(of: ".").map { $0 + 1 } ?? 0
        let start = dot > 0 && dot < characters.count ? dot : characters.count * 2 / 3
        // The last character may have bits that decoders ignore.
        let place = start + (characters.count - start) / 2
        characters[place] = characters[place] == "A" ? "B" : "A"
        return AccessToken(Secret(String(characters)))
    }
}

/// The credential that is exchanged for the next pair (RFC 6749 section 1.5).
///
/// It is a separate type, so that it cannot be sent in place of an access token.
package struct RefreshToken: Sendable, Hashable {
    package let secret: Secret

    package init(_ secret: Secret) {
        self.secret = secret
    }
}

/// The access token and the refresh token that a backend issued together.
///
/// `refresh` is `nil` if the dialect has none.
package struct TokenPair: Sendable, Hashable {
    package var access: AccessToken
    package var refresh: RefreshToken?
    /// The other values that requests with the tokens send again.
    package var captures: CapturedValues

    package init(
        access: AccessToken,
        refresh: RefreshToken?,
        captures: CapturedValues = .none
    ) {
        self.access = access
        self.refresh = refresh
        self.captures = captures
    }
}
