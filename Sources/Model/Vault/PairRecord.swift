package import Basics
package import FoundationEssentials
package import Profiles

/// A pair with everything that is known about it, in times that mean something to another process.
package struct PairRecord: Sendable, Hashable {
    /// Counts the pairs of the family, from 1.
    package var generation: Int
    package var tokens: TokenPair
    /// The newest ID token that an answer brought, or `nil` if none did; it has an end of its own.
    package var idToken: Secret?
    /// The wall clock when its request was sent.
    package var sentAt: Date
    package var accessExpiry: Expiry?
    /// When the request was sent from which the refresh token's expiry counts.
    package var refreshSentAt: Date
    package var refreshExpiry: Expiry?
    /// When the login was sent that the pair descends from, or `nil` if that is not known.
    package var beganAt: Date?
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
        sentAt: Date,
        accessExpiry: Expiry?,
        refreshSentAt: Date,
        refreshExpiry: Expiry?,
        statements: PairStatements = PairStatements()
    ) {
        self.generation = generation
        self.tokens = tokens
        self.sentAt = sentAt
        self.accessExpiry = accessExpiry
        self.refreshSentAt = refreshSentAt
        self.refreshExpiry = refreshExpiry
        self.statements = statements
    }
}

extension PairRecord: Decodable, EncodableWithConfiguration {
    private enum CodingKeys: String, CodingKey {
        case generation, access, refresh, idToken, captures, sentAt, accessExpiry, refreshSentAt
        case refreshExpiry, beganAt, subject, displayName, offset, isReusable, ending, refusal
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
        sentAt = try values.decode(Date.self, forKey: .sentAt)
        accessExpiry = try values.decode(Expiry?.self, forKey: .accessExpiry)
        refreshSentAt = try values.decode(Date.self, forKey: .refreshSentAt)
        refreshExpiry = try values.decode(Expiry?.self, forKey: .refreshExpiry)
        for key in CodingKeys.required { _ = try values.decode(String?.self, forKey: key) }
        statements = try PairStatements(from: decoder)
        offset = try values.decode(ServerOffset?.self, forKey: .offset)
        isUnchanged = try values.decode(Bool.self, forKey: .isUnchanged)
        hasFixedExpiry = try values.decode(Bool.self, forKey: .hasFixedExpiry)
        ending = try values.decode(SignedOutReason?.self, forKey: .ending)
        refusal = values.refusal(forKey: .refusal)
        // The first releases wrote none of these.
        idToken = try values.decodeIfPresent(String.self, forKey: .idToken).map(Secret.init)
        beganAt = try values.decodeIfPresent(Date.self, forKey: .beganAt)
        isReusable = try values.decodeIfPresent(Bool.self, forKey: .isReusable) ?? false
    }

    package func encode(to encoder: any Encoder, configuration: SecretEncoding) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(generation, forKey: .generation)
        try values.encode(configuration(tokens.access.secret), forKey: .access)
        try values.encode((tokens.refresh?.secret).map(configuration), forKey: .refresh)
        try values.encodeIfPresent(idToken.map(configuration), forKey: .idToken)
        try values.encode(tokens.captures.values.mapValues(configuration), forKey: .captures)
        try values.encode(sentAt, forKey: .sentAt)
        try values.encode(accessExpiry, forKey: .accessExpiry)
        try values.encode(refreshSentAt, forKey: .refreshSentAt)
        try values.encode(refreshExpiry, forKey: .refreshExpiry)
        try values.encodeIfPresent(beganAt, forKey: .beganAt)
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
