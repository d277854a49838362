package import Basics
import FoundationEssentials
import Profiles

/// Returns how a secret of a record is written; nothing encodes one by itself.
package typealias SecretEncoding = (Secret) -> JSONValue

// The form of schema 1, which all releases share: a value that is not there is written as null, because
// earlier ones require its key.

extension VaultRecord: Decodable, EncodableWithConfiguration {
    private enum CodingKeys: String, CodingKey {
        case schema, dialect, baseURL, family, pair, ending, journal, outbox, client, epoch, savedAt
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard try values.decode(Int.self, forKey: .schema) == Self.currentSchema else {
            throw DecodingError.dataCorruptedError(
                forKey: .schema,
                in: values,
                debugDescription: "schema"
            )
        }
        dialect = try values.decode(String.self, forKey: .dialect)
        baseURL = try values.decode(String.self, forKey: .baseURL)
        family = try values.decode(String.self, forKey: .family)
        pair = try values.decode(PairRecord?.self, forKey: .pair)
        // The first releases wrote none.
        ending = try values.decodeIfPresent(StoredEnding.self, forKey: .ending)
        journal = try values.decode(FlightJournal?.self, forKey: .journal)
        outbox = try values.decode([PendingRevocation].self, forKey: .outbox)
        client = try values.decodeIfPresent(RegisteredClient.self, forKey: .client)
        epoch = try values.decode(Int.self, forKey: .epoch)
        savedAt = try values.decode(Date.self, forKey: .savedAt)
    }

    package func encode(to encoder: any Encoder, configuration: @escaping SecretEncoding) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Self.currentSchema, forKey: .schema)
        try values.encode(dialect, forKey: .dialect)
        try values.encode(baseURL, forKey: .baseURL)
        try values.encode(family, forKey: .family)
        try values.encode(pair, forKey: .pair, configuration: configuration)
        try values.encode(ending, forKey: .ending)
        try values.encode(journal, forKey: .journal)
        try values.encode(outbox, forKey: .outbox, configuration: configuration)
        if let client {
            try values.encode(client, forKey: .client, configuration: configuration)
        }
        try values.encode(epoch, forKey: .epoch)
        try values.encode(savedAt, forKey: .savedAt)
    }
}

extension RegisteredClient: Decodable, EncodableWithConfiguration {
    private enum CodingKeys: String, CodingKey {
        case id, secret, secretExpiresAt, isForgotten
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try values.decode(String.self, forKey: .id),
            secret: try values.secret(forKey: .secret),
            secretExpiresAt: try values.decode(Double?.self, forKey: .secretExpiresAt),
            isForgotten: try values.decodeIfPresent(Bool.self, forKey: .isForgotten) ?? false
        )
    }

    package func encode(to encoder: any Encoder, configuration: SecretEncoding) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try values.encode(secret.map(configuration), forKey: .secret)
        try values.encode(secretExpiresAt, forKey: .secretExpiresAt)
        if isForgotten { try values.encode(true, forKey: .isForgotten) }
    }
}

extension StoredEnding: Codable {
    private enum CodingKeys: String, CodingKey {
        case family, reason, endedAt, refusal
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        family = try values.decode(String.self, forKey: .family)
        reason = try values.decode(SignedOutReason.self, forKey: .reason)
        endedAt = try values.decode(Date.self, forKey: .endedAt)
        refusal = values.refusal(forKey: .refusal)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(family, forKey: .family)
        try values.encode(reason, forKey: .reason)
        try values.encode(endedAt, forKey: .endedAt)
        try values.encode(refusal?.stored, forKey: .refusal)
    }
}

extension PendingRevocation: Decodable, EncodableWithConfiguration {
    private enum CodingKeys: String, CodingKey {
        case id, scope, refresh, access, captures, expiresAt
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        id = try values.decode(String.self, forKey: .id)
        scope = try values.decode(LogoutScope.self, forKey: .scope)
        refresh = try values.secret(forKey: .refresh).map(RefreshToken.init)
        access = try values.secret(forKey: .access).map(AccessToken.init)
        captures = try values.captures(forKey: .captures)
        expiresAt = try values.decode(Date?.self, forKey: .expiresAt)
    }

    package func encode(to encoder: any Encoder, configuration: SecretEncoding) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(id, forKey: .id)
        try values.encode(scope, forKey: .scope)
        try values.encode((refresh?.secret).map(configuration), forKey: .refresh)
        try values.encode((access?.secret).map(configuration), forKey: .access)
        try values.encode(captures.values.mapValues(configuration), forKey: .captures)
        try values.encode(expiresAt, forKey: .expiresAt)
    }
}

extension ServerOffset {
    var stored: [String: Double?] { ["low": low, "likelyHigh": likelyHigh, "high": high] }
}

extension RefusalEvidence {
    var stored: [String: JSONValue] {
        [
            "age": .number(age),
            "lifetime": lifetime.map(JSONValue.number) ?? .null,
            "source": (source?.rawValue).map(JSONValue.string) ?? .null,
            "sendsWithoutAnswer": .integer(Int64(sendsWithoutAnswer)),
            "possibleCauses": .array(possibleCauses.map { .string($0.rawValue) }),
            "message": message.map(JSONValue.string) ?? .null,
        ]
    }
}

extension KeyedDecodingContainer {
    /// Returns a secret, or `nil` if it is null.
    func secret(forKey key: Key) throws -> Secret? {
        try decode(String?.self, forKey: key).map(Secret.init)
    }

    /// Returns captured values, which the first releases did not have.
    func captures(forKey key: Key) throws -> CapturedValues {
        let texts = try decodeIfPresent([String: String].self, forKey: key) ?? [:]
        return CapturedValues(texts.mapValues(Secret.init))
    }

    /// Returns an explanation, or `nil` also if it cannot be read: a record is usable without it.
    func refusal(forKey key: Key) -> RefusalEvidence? {
        try? decodeIfPresent(RefusalEvidence.self, forKey: key)
    }
}
