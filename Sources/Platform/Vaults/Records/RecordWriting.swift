package import Basics
import Client
import FoundationEssentials
package import Model
import Profiles

/// Writes a record as JSON; the caller chooses how tokens and times are written.
package struct RecordWriting {
    private let token: (Secret) -> JSONValue
    private let date: (Date) -> JSONValue

    /// Creates a writer for output to the user, with times in ISO 8601, in UTC.
    ///
    /// - Parameter token: Returns the representation of a token.
    package init(token: @escaping (Secret) -> JSONValue) {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        self.init(token: token) { .string($0.formatted(style)) }
    }

    init(token: @escaping (Secret) -> JSONValue, date: @escaping (Date) -> JSONValue) {
        self.token = token
        self.date = date
    }

    package func json(_ record: VaultRecord) -> JSONValue {
        .object([
            "schema": .integer(Int64(record.schema)),
            "dialect": .string(record.dialect),
            "baseURL": .string(record.baseURL),
            "family": .string(record.family),
            "pair": record.pair.map(json) ?? .null,
            "ending": record.ending.map(json) ?? .null,
            "journal": record.journal.map(json) ?? .null,
            "outbox": .array(record.outbox.map(json)),
            "epoch": .integer(Int64(record.epoch)),
            "savedAt": date(record.savedAt),
        ])
    }

    private func json(_ ending: StoredEnding) -> JSONValue {
        .object([
            "family": .string(ending.family),
            "reason": .string(ending.reason.rawValue),
            "endedAt": date(ending.endedAt),
            "refusal": orNull(ending.refusal) { json($0) },
        ])
    }

    private func json(_ refusal: RefusalEvidence) -> JSONValue {
        let causes = refusal.possibleCauses.map { JSONValue.string($0.rawValue) }
        return .object([
            "age": .number(refusal.age),
            "lifetime": orNull(refusal.lifetime) { .number($0) },
            "source": orNull(refusal.source) { .string($0.rawValue) },
            "sendsWithoutAnswer": .integer(Int64(refusal.sendsWithoutAnswer)),
            "possibleCauses": .array(causes),
            "message": orNull(refusal.message) { .string($0) },
        ])
    }

    private func json(_ journal: FlightJournal) -> JSONValue {
        .object([
            "generation": .integer(Int64(journal.generation)),
            "sends": .integer(Int64(journal.sends)),
            "preparedAt": date(journal.preparedAt),
        ])
    }

    private func json(_ entry: PendingRevocation) -> JSONValue {
        .object([
            "id": .string(entry.id),
            "scope": .string(entry.scope.rawValue),
            "refresh": entry.refresh.map { token($0.secret) } ?? .null,
            "access": entry.access.map { token($0.secret) } ?? .null,
            "captures": json(entry.captures),
            "expiresAt": entry.expiresAt.map(date) ?? .null,
        ])
    }

    private func json(_ pair: StoredPair) -> JSONValue {
        let account = pair.account.map { detail -> JSONValue in
            .object(["path": .string(detail.path), "value": .string(detail.value)])
        }
        // One by one, because the compiler takes too long for them in one expression.
        var members: [String: JSONValue] = [:]
        members["generation"] = .integer(Int64(pair.generation))
        members["access"] = token(pair.tokens.access.secret)
        members["refresh"] = orNull(pair.tokens.refresh) { token($0.secret) }
        members["captures"] = json(pair.tokens.captures)
        members["sentAt"] = date(pair.sentAt)
        members["accessExpiry"] = orNull(pair.accessExpiry) { json($0) }
        members["refreshSentAt"] = date(pair.refreshSentAt)
        members["refreshExpiry"] = orNull(pair.refreshExpiry) { json($0) }
        if let beganAt = pair.beganAt { members["beganAt"] = date(beganAt) }
        members["subject"] = orNull(pair.subject) { .string($0) }
        members["displayName"] = orNull(pair.displayName) { .string($0) }
        members["account"] = .array(account)
        members["offset"] = orNull(pair.offset) { json($0) }
        members["wasKept"] = .bool(pair.isUnchanged)
        members["isReusable"] = .bool(pair.isReusable)
        members["isEndFixed"] = .bool(pair.hasFixedExpiry)
        members["ending"] = orNull(pair.ending) { .string($0.rawValue) }
        members["refusal"] = orNull(pair.refusal) { json($0) }
        return .object(members)
    }

    private func json(_ captures: CapturedValues) -> JSONValue {
        .object(captures.values.mapValues(token))
    }

    private func orNull<Value>(_ value: Value?, _ write: (Value) -> JSONValue) -> JSONValue {
        value.map(write) ?? .null
    }

    private func json(_ expiry: Expiry) -> JSONValue {
        .object([
            "seconds": .number(expiry.seconds),
            "source": .string(expiry.source.rawValue),
            "skewWidth": .number(expiry.skewWidth),
            "margin": .number(expiry.margin),
            "mismatch": .array(
                expiry.mismatch.map { reading in
                    .object([
                        "source": .string(reading.source.rawValue),
                        "seconds": .number(reading.seconds),
                        "margin": .number(reading.margin),
                    ])
                }
            ),
        ])
    }

    private func json(_ offset: ServerOffset) -> JSONValue {
        .object([
            "low": .number(offset.low),
            "high": orNull(offset.high) { .number($0) },
            "likelyHigh": .number(offset.likelyHigh),
        ])
    }
}
