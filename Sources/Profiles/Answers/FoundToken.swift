package import Basics

/// A token in an exchange, before it is named by its fingerprint.
package struct FoundToken: Sendable {
    /// The place of a token in an exchange.
    package enum Place: String, Sendable, Hashable, Codable, CaseIterable {
        /// The `Authorization` header.
        case authorization
        case header
        case query
        /// A segment of the path, or a parameter without a value.
        case path
        case cookie
        case body
        case subprotocol
        case message
    }

    package var place: Place
    /// The name of the header, parameter, cookie or key.
    package var name: String
    package var role: TokenRole
    package var secret: Secret
    /// The statements about its end.
    package var evidence: [ExpiryEvidence]
    /// In a body: the keys that lead to it, joined by dots.
    package var path: String?
    /// The source of its end, as a profile names it.
    package var expiryField: String?

    package init(
        place: Place,
        name: String,
        role: TokenRole,
        secret: Secret,
        evidence: [ExpiryEvidence] = [],
        path: String? = nil,
        expiryField: String? = nil
    ) {
        self.place = place
        self.name = name
        self.role = role
        self.secret = secret
        self.evidence = evidence
        self.path = path
        self.expiryField = expiryField
    }
}

extension [FoundToken] {
    /// Takes in what a profile says of tokens: their roles, and of their ends what the answer states.
    package mutating func merge(_ exact: [FoundToken]) {
        for token in exact {
            let places = indices.filter { self[$0].secret == token.secret }
            for place in places {
                self[place].role = token.role
                if token.evidence.contains(where: \.isStated) {
                    self[place].evidence = token.evidence
                }
            }
            if places.isEmpty { append(token) }
        }
    }
}

extension ExpiryEvidence {
    /// Whether an answer states it beside the token, where a profile says in which unit.
    fileprivate var isStated: Bool {
        switch self {
        case .lifetime, .cookieMaxAge, .instant, .cookieExpires, .inferredZone, .assumedZone,
            .assumedUnit:
            true
        case .webToken, .documented, .unusable: false
        }
    }
}

extension FoundToken {
    /// The same token without the names that a profile has for where it is, and for its end.
    package var withoutPlace: FoundToken {
        var token = self
        (token.path, token.expiryField) = (nil, nil)
        return token
    }
}
