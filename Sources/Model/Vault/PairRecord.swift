package import Basics
package import FoundationEssentials
package import Profiles

/// A pair with everything that is known about it, as the vault has it.
package struct PairRecord: Sendable, Hashable {
    /// Counts the pairs of the family, from 1.
    package var generation: Int
    package var tokens: TokenPair
    /// The newest ID token that an answer brought, or `nil` if none did; it has an end of its own.
    package var idToken: Secret?
    /// On the wall clock, which means something to another process.
    package var times: PairTimes<Date, Expiry>
    /// The backend's other statements about it.
    package var statements: PairStatements
    /// The difference by which the server's clock was ahead when the pair was stored.
    package var offset: ServerOffset?
    /// Whether the last refresh returned no new refresh token, so that this one was kept.
    package var isUnchanged = false
    /// The refresh token was accepted again after that: use does not spend it.
    package var isReusable = false
    /// A refresh that should have moved the refresh token's end on did not; without it here, each
    /// process would find that out for itself, again and again.
    package var hasFixedExpiry = false
    /// Why its refresh token was removed; the access token may still be valid.
    package var ending: SignedOutReason?
    /// The evidence about the refresh token at that time.
    package var refusal: RefusalEvidence?

    package init(
        generation: Int,
        tokens: TokenPair,
        times: PairTimes<Date, Expiry>,
        statements: PairStatements = PairStatements()
    ) {
        self.generation = generation
        self.tokens = tokens
        self.times = times
        self.statements = statements
    }
}

extension PairRecord: Decodable, EncodableWithConfiguration {
    private enum CodingKeys: String, CodingKey {
        case generation, access, refresh, idToken, captures, subject, displayName, offset
        case isReusable, ending, refusal
        case isUnchanged = "wasKept"
        case hasFixedExpiry = "isEndFixed"

        /// The statements that each record has, null if they were not made; the others are members of
        /// the same object, if they were.
        static let required: [CodingKeys] = [.subject, .displayName]
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        generation = try values.decode(Int.self, forKey: .generation)
        tokens = TokenPair(
            access: AccessToken(Secret(try values.decode(String.self, forKey: .access))),
            refresh: try values.secret(forKey: .refresh).map(RefreshToken.init),
            captures: try values.captures(forKey: .captures)
        )
        times = try PairTimes(from: decoder)
        for key in CodingKeys.required { _ = try values.decode(String?.self, forKey: key) }
        statements = try PairStatements(from: decoder)
        offset = try values.decode(ServerOffset?.self, forKey: .offset)
        isUnchanged = try values.decode(Bool.self, forKey: .isUnchanged)
        hasFixedExpiry = try values.decode(Bool.self, forKey: .hasFixedExpiry)
        ending = try values.decode(SignedOutReason?.self, forKey: .ending)
        refusal = values.refusal(forKey: .refusal)
        // The first releases wrote neither.
        idToken = try values.decodeIfPresent(String.self, forKey: .idToken).map(Secret.init)
        isReusable = try values.decodeIfPresent(Bool.self, forKey: .isReusable) ?? false
    }

    package func encode(to encoder: any Encoder, configuration: SecretEncoding) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(generation, forKey: .generation)
        try values.encode(configuration(tokens.access.secret), forKey: .access)
        try values.encode((tokens.refresh?.secret).map(configuration), forKey: .refresh)
        try values.encodeIfPresent(idToken.map(configuration), forKey: .idToken)
        try values.encode(tokens.captures.values.mapValues(configuration), forKey: .captures)
        try times.encode(to: encoder)
        for key in CodingKeys.required { try values.encodeNil(forKey: key) }
        try statements.encode(to: encoder)
        try values.encode(offset?.stored, forKey: .offset)
        try values.encode(isUnchanged, forKey: .isUnchanged)
        try values.encode(isReusable, forKey: .isReusable)
        try values.encode(hasFixedExpiry, forKey: .hasFixedExpiry)
        try values.encode(ending, forKey: .ending)
        try values.encode(refusal?.stored, forKey: .refusal)
    }
}
