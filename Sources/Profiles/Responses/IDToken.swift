package import Basics

/// The id token in a response to a login (OpenID Connect Core 1.0 section 2).
package struct IDToken: Sendable, Hashable {
    package let secret: Secret
    /// The result of its check, or `nil` if the profile's logins expect none.
    package var check: IDTokenCheck?

    init(_ secret: Secret, check: IDTokenCheck? = nil) {
        self.secret = secret
        self.check = check
    }
}

/// The result of the check of an id token.
package struct IDTokenCheck: Sendable, Hashable, Codable {
    package var signature: IDTokenSignature
    /// The first rule that does not hold, or `nil` if all do.
    package var failure: IDTokenFailure?

    package init(signature: IDTokenSignature, failure: IDTokenFailure? = nil) {
        self.signature = signature
        self.failure = failure
    }
}

/// Whether one of the provider's keys signed an id token.
///
/// For a token that comes directly from the token endpoint, TLS may take the place of a signature
/// that cannot be checked (OpenID Connect Core 1.0 section 3.1.3.7, rule 6). A provider that has
/// published its keys has said which ones it signs with.
package enum IDTokenSignature: Sendable, Hashable, Codable {
    /// The key has this name, if it has one: bounded and on one line.
    case valid(key: String?)
    case invalid
    /// The profile names no keys.
    case withoutKeys
    /// There are keys, and none of them is for the token; this is what it states of its key.
    case withoutItsKey(stated: String)
    /// The keys could not be read, or one that may be the token's cannot be used here.
    case unchecked(reason: String)
}

/// A rule that an id token breaks, with what it states instead: bounded and on one line.
package struct IDTokenFailure: Error, Sendable, Hashable, Codable {
    package var rule: IDTokenRule
    package var found: String?

    package init(_ rule: IDTokenRule, found: String? = nil) {
        self.rule = rule
        self.found = found
    }
}

/// The rules for an id token (OpenID Connect Core 1.0 section 3.1.3.7), by the claims that they are
/// about.
package enum IDTokenRule: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is a signed JSON Web Token.
    case format
    /// One of the provider's keys signed it.
    case signature
    /// One of the provider's keys is for it.
    case key = "kid"
    /// It is of the issuer that the profile names.
    case issuer = "iss"
    /// It is for this client.
    case audience = "aud"
    /// If it is for several, or names an authorized party, that is this client.
    case authorizedParty = "azp"
    /// It has not expired.
    case expiry = "exp"
    /// It belongs to this login.
    case nonce
}

extension IDTokenSignature {
    /// The rule that the token breaks, or `nil` if its signature is no reason to reject it.
    package var failure: IDTokenFailure? {
        switch self {
        case .invalid: IDTokenFailure(.signature)
        case .withoutItsKey(let stated): IDTokenFailure(.key, found: stated)
        case .valid, .withoutKeys, .unchecked: nil
        }
    }
}

/// The statements that an id token must contain.
package struct IDTokenExpectation: Sendable, Hashable {
    /// The time for which it is accepted after its end, in seconds, since clocks differ.
    static let tolerance = 60.0

    /// The issuer, or `nil` if the profile names none.
    let issuer: String?
    /// The URL of the provider's keys, or `nil` if the profile names none.
    package let keys: String?
    let client: String?
    let nonce: Secret?

    /// Returns the first rule about claims that a token breaks.
    ///
    /// - Parameters:
    ///   - secret: The token.
    ///   - now: The time of the server, in seconds since 1970.
    ///   - secrets: What the claims may repeat, such as the tokens that came with it.
    /// - Returns: The rule, or `nil` if all hold.
    package func failure(
        of secret: Secret,
        at now: Double,
        hiding secrets: KnownSecrets
    ) -> IDTokenFailure? {
        guard let token = JSONWebToken(reading: secret) else { return IDTokenFailure(.format) }
        func broken(_ rule: IDTokenRule, _ value: JSONValue?) -> IDTokenFailure {
            let text = value.map { $0.displayText ?? $0.serialized }
            return IDTokenFailure(
                rule,
                found: text.map { ServerMessage.bounded($0, hiding: secrets) }
            )
        }
        let claims = token.claims
        if let issuer, claims["iss"]?.stringValue != issuer {
            return broken(.issuer, claims["iss"])
        }
        if let client {
            let audience = Self.texts(claims["aud"])
            guard audience.contains(client) else { return broken(.audience, claims["aud"]) }
            let party = claims["azp"]?.stringValue
            guard party == client || party == nil && audience.count == 1 else {
                return broken(.authorizedParty, claims["azp"])
            }
        }
        // A text is no NumericDate (RFC 7519 section 2).
        guard claims["exp"]?.stringValue == nil, let end = token.expiresAt,
            now < end + Self.tolerance
        else { return broken(.expiry, claims["exp"]) }
        if let nonce {
            // `Secret` compares in constant time. The value is not shown.
            guard let stated = claims["nonce"]?.stringValue, Secret(stated) == nonce else {
                return IDTokenFailure(.nonce)
            }
        }
        return nil
    }

    private static func texts(_ value: JSONValue?) -> [String] {
        switch value {
        case .string(let text)?: [text]
        case .array(let elements)?: elements.compactMap(\.stringValue)
        case .null?, .bool?, .integer?, .number?, .object?, nil: []
        }
    }
}

extension Dialect {
    /// Returns what the id token of a login must state, or `nil` if its logins expect none.
    ///
    /// - Parameters:
    ///   - credentials: The credentials that are sent, by name.
    ///   - grant: The grant of the login.
    /// - Returns: The expectation.
    package func idTokenExpectation(
        _ credentials: [String: Secret],
        grant: AuthorizationGrant?
    ) -> IDTokenExpectation? {
        guard login.idToken != nil || needsBrowser else { return nil }
        return IDTokenExpectation(
            issuer: login.idToken?.issuer,
            keys: login.idToken?.keys,
            client: withClientID(credentials)[ClientAuthentication.idName]?.reveal(),
            nonce: grant?.nonce
        )
    }
}
