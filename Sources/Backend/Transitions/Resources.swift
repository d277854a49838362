package import Basics

/// The grant of a session whose login has named a resource (RFC 8707): its access tokens are JSON Web
/// Tokens that state it (RFC 9068).
struct ResourceGrant: Sendable, Hashable {
    let resource: String
    /// The granted scope: the one that was requested.
    let scope: String?
}

extension AuthBackend {
    /// Returns whether a refresh token can be exchanged for a token for a resource (RFC 8707 section
    /// 2.2): it can unless its session is for another one.
    package func grants(_ resource: String, to token: RefreshToken) -> Bool {
        let grant = issuedRefresh[token].flatMap { families[$0.family]?.grant }
        return grant == nil || grant?.resource == resource
    }

    /// Returns whether a resource accepts an access token: not if the token of a session for some
    /// resource states another audience, or none.
    package func accepts(_ token: AccessToken, at resource: String) -> Bool {
        guard let issued = issuedAccess[token], families[issued.family]?.grant != nil else {
            return true
        }
        return issued.audience == resource
    }
}
