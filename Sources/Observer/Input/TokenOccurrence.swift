package import Basics
package import Model
package import Profiles

/// A token at a place in an exchange.
package struct TokenOccurrence: Sendable, Hashable, Codable {
    package var place: FoundToken.Place
    /// The name of the header, parameter, cookie or key.
    package var name: String
    package var role: TokenRole
    package var token: TokenDescription
    /// Of a token that an answer brings: when it ends, as the answer states it.
    package var expiry: Expiry?
    /// In a body: the keys that lead to it, joined by dots.
    package var path: String?
    /// What states its end, as a profile names it, such as `seconds:expires_in`.
    package var expiryField: String?

    package init(
        place: FoundToken.Place,
        name: String,
        role: TokenRole,
        token: TokenDescription,
        expiry: Expiry? = nil,
        path: String? = nil,
        expiryField: String? = nil
    ) {
        self.place = place
        self.name = name
        self.role = role
        self.token = token
        self.expiry = expiry
        self.path = path
        self.expiryField = expiryField
    }

    package var fingerprint: Fingerprint { token.fingerprint }
}

/// What is wrong with the way in which a request presents a token.
package enum CredentialFlaw: Sendable, Hashable, Codable {
    /// A text that a program writes in place of a value that it does not have.
    case placeholder(String)
    case empty
    /// There are several headers of the same name.
    case repeated(count: Int)
    /// There are several tokens in one header.
    case joined(count: Int)
}
