/// A statement about the expiry of a token that cannot be used.
///
/// It is kept, because a user who reads that nothing states an expiry looks in the wrong place.
package struct UnusableExpiry: Sendable, Hashable, Codable {
    package enum Problem: String, Sendable, Hashable, Codable, CaseIterable {
        /// A lifetime that is not positive.
        case notPositive
        /// A time since 1970 where a lifetime is expected.
        case instant
        /// A time in milliseconds since 1970 where seconds are expected.
        case milliseconds
        /// A time in seconds since 1970 where milliseconds are expected.
        case seconds
        /// Of another type or format than expected, or out of range.
        case unreadable
    }

    /// The place of the statement: a key path of the response, or a claim of the token.
    package let place: String
    package let problem: Problem
    /// The number that is stated, or `nil` if it is none.
    package let number: Double?

    package init(place: String, problem: Problem, number: Double? = nil) {
        self.place = place
        self.problem = problem
        self.number = number
    }

    /// The times that are taken for milliseconds since 1970: as seconds they are after the year
    /// 33658, as milliseconds after 2001 and before the year 10000.
    package static let milliseconds = 1e12...253_402_300_799_000

    /// The times in seconds since 1970 that are taken for one where a lifetime is expected: from 2020 to
    /// 2036, as lifetimes 50 to 66 years.
    package static let instants = 1_577_836_800.0..<2_082_758_400.0

    /// The times in seconds since 1970 that stand for no end, such as that of the year 9999: they are
    /// after the year 5138, and as milliseconds before any token was issued.
    package static let never = 1e11..<1e12
}

/// The unusable statements about a pair of tokens.
package struct UnusableExpiries: Sendable, Hashable, Codable {
    package var access: [UnusableExpiry]
    package var refresh: [UnusableExpiry]

    package init(access: [UnusableExpiry] = [], refresh: [UnusableExpiry] = []) {
        self.access = access
        self.refresh = refresh
    }
}

extension ExpiryEvidence {
    /// The statement, or `nil` if it can be used.
    package var unusable: UnusableExpiry? {
        if case .unusable(let statement) = self { return statement }
        return nil
    }
}

extension JSONWebToken {
    /// The token's own statement about its expiry, or `nil` without the claim `exp`.
    package var expiryEvidence: ExpiryEvidence? { Self.expiryEvidence(in: claims) }

    /// The claims' statement about the expiry of their token, or `nil` without `exp`.
    package static func expiryEvidence(in claims: [String: JSONValue]) -> ExpiryEvidence? {
        let number = claims["exp"]?.numberValue
        switch claims["exp"] {
        case nil, .null: return nil
        default: break
        }
        if let number, UnusableExpiry.never.contains(number) { return nil }
        if let number, UnusableExpiry.milliseconds.contains(number) {
            return .unusable(
                UnusableExpiry(place: "exp", problem: .milliseconds, number: number)
            )
        }
        guard let expiresAt = date("exp", in: claims) else {
            return .unusable(UnusableExpiry(place: "exp", problem: .unreadable, number: number))
        }
        return .webToken(expiresAt: expiresAt, issuedAt: date("iat", in: claims))
    }
}
