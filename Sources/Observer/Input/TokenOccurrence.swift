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
    /// A token stands alone in `Authorization`.
    case noScheme
    /// The scheme has other letters than the one that is meant, such as a colon.
    case misspeltScheme(String)
    /// A form has the `+` of a token as it is, which means a blank there (WHATWG URL, section 5).
    case unescapedPlus
    /// It is the beginning of a token that an answer had brought, in bytes.
    case cut(bytes: Int, of: Int)

    /// Whether there is nothing to refuse.
    var isMissing: Bool {
        switch self {
        case .placeholder, .empty: true
        default: false
        }
    }

    /// Whether a backend may take the token all the same, so that only its refusal tells.
    var isTolerated: Bool {
        switch self {
        case .placeholder, .empty, .repeated, .joined: false
        case .quoted, .doubledScheme, .noScheme, .misspeltScheme, .unescapedPlus, .cut: true
        }
    }

    /// Whether many a backend asks for just that.
    var isUsual: Bool {
        switch self {
        case .noScheme, .misspeltScheme: true
        default: false
        }
    }
}
