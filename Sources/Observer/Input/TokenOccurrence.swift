import Basics
import Model
import Profiles

/// A token at a place in an exchange.
struct TokenOccurrence: Sendable, Hashable, Codable {
    var place: FoundToken.Place
    /// The name of the header, parameter, cookie or key.
    var name: String
    var role: TokenRole
    var token: TokenDescription
    /// Of a token that an answer brings: when it ends, as the answer states it.
    var expiry: Expiry?
    /// In a body: the keys that lead to it, joined by dots.
    var path: String?
    /// The source of its end, as a profile names it, such as `seconds:expires_in`.
    var expiryField: String?

    var fingerprint: Fingerprint { token.fingerprint }
}

/// A flaw in the way in which a request presents a token.
enum CredentialFlaw: Sendable, Hashable, Codable {
    /// A text that a program writes in place of a value that it does not have.
    case placeholder(String)
    case empty
    /// There are several headers of the same name.
    case repeated(count: Int)
    /// There are several tokens in one header.
    case joined(count: Int)
    /// A bearer token is in quotes, as JSON has it, which is no token (RFC 6750 section 2.1).
    case quoted
    /// The scheme is there twice.
    case doubledScheme

    /// Whether a backend may take the token all the same.
    var isTolerated: Bool { self == .quoted || self == .doubledScheme }
}
