import Basics
import Client
import FoundationEssentials
import Model
import Profiles

/// Encodes a record as JSON, which exists only in memory.
///
/// The caller wipes the byte arrays; the strings in between cannot be wiped, because Swift gives no
/// access to their memory.
enum RecordCoding {
    /// - Throws: If the record contains a number that JSON cannot represent.
    static func bytes(of record: VaultRecord) throws(VaultProblem) -> [UInt8] {
        let writing = RecordWriting(
            token: { .string($0.reveal()) },
            // The representation that `Date` uses, so that nothing is rounded.
            date: { .number($0.timeIntervalSinceReferenceDate) }
        )
        let text = writing.json(record).serialized
        guard text != JSONValue.null.serialized else {
            throw VaultProblem(message: "the record cannot be written down")
        }
        return Array(text.utf8)
    }

    /// Decodes a record; returns `nil` if something that a record requires is missing.
    static func record(from bytes: [UInt8]) -> VaultRecord? {
        JSONValue(parsing: bytes).flatMap(record)
    }
}

// MARK: - The record

extension RecordCoding {
    fileprivate static func record(_ json: JSONValue) -> VaultRecord? {
        guard json["schema"].integer == VaultRecord.currentSchema,
            let dialect = json["dialect"]?.stringValue,
            let baseURL = json["baseURL"]?.stringValue,
            let family = json["family"]?.stringValue,
            let pair = optional(json["pair"], pair),
            let journal = optional(json["journal"], journal),
            case .array(let outbox)? = json["outbox"],
            let ending = optional(json["ending"] ?? .null, ending),
            let epoch = json["epoch"].integer,
            let savedAt = json["savedAt"].date
        else { return nil }
        let entries = outbox.compactMap(revocation)
        guard entries.count == outbox.count else { return nil }
        var record = VaultRecord(
            dialect: dialect,
            baseURL: baseURL,
            family: family,
            pair: pair,
            epoch: epoch,
            savedAt: savedAt
        )
        record.journal = journal
        record.outbox = entries
        record.ending = ending
        return record
    }

    private static func ending(_ json: JSONValue) -> StoredEnding? {
        guard let family = json["family"]?.stringValue,
            let reason = json["reason"]?.stringValue.flatMap(SignedOutReason.init),
            let endedAt = json["endedAt"].date
        else { return nil }
        return StoredEnding(
            family: family,
            reason: reason,
            endedAt: endedAt,
            refusal: json["refusal"].flatMap(refusal)
        )
    }

    /// Returns `nil` also if it cannot be read: a record is usable without it.
    private static func refusal(_ json: JSONValue) -> RefusalEvidence? {
        guard let age = json["age"]?.numberValue,
            let sends = json["sendsWithoutAnswer"].integer,
            case .array(let causes)? = json["possibleCauses"]
        else { return nil }
        return RefusalEvidence(
            age: age,
            lifetime: json["lifetime"]?.numberValue,
            source: json["source"]?.stringValue.flatMap(ExpirySource.init),
            sendsWithoutAnswer: sends,
            possibleCauses: causes.compactMap { $0.stringValue.flatMap(PossibleCause.init) },
            message: json["message"]?.stringValue
        )
    }

    private static func journal(_ json: JSONValue) -> FlightJournal? {
        guard let generation = json["generation"].integer, let sends = json["sends"].integer,
            let preparedAt = json["preparedAt"].date
        else { return nil }
        return FlightJournal(generation: generation, sends: sends, preparedAt: preparedAt)
    }

    private static func revocation(_ json: JSONValue) -> PendingRevocation? {
        guard let id = json["id"]?.stringValue,
            let scope = json["scope"]?.stringValue.flatMap(LogoutScope.init),
            let refresh = optional(json["refresh"], secret),
            let access = optional(json["access"], secret),
            let expiresAt = optional(json["expiresAt"], { Optional($0).date })
        else { return nil }
        return PendingRevocation(
            id: id,
            scope: scope,
            refresh: refresh.map(RefreshToken.init),
            access: access.map(AccessToken.init),
            captures: captures(json["captures"]),
            expiresAt: expiresAt
        )
    }
}

// MARK: - The pair

extension RecordCoding {
    private static func pair(_ json: JSONValue) -> StoredPair? {
        guard let generation = json["generation"].integer,
            let access = json["access"].flatMap(secret),
            let refresh = optional(json["refresh"], secret),
            let sentAt = json["sentAt"].date,
            let accessExpiry = optional(json["accessExpiry"], expiry),
            let refreshSentAt = json["refreshSentAt"].date,
            let refreshExpiry = optional(json["refreshExpiry"], expiry),
            let subject = optional(json["subject"], \.stringValue),
            let displayName = optional(json["displayName"], \.stringValue),
            let offset = optional(json["offset"], offset),
            let isUnchanged = json["wasKept"]?.boolValue,
            let hasFixedExpiry = json["isEndFixed"]?.boolValue,
            let ending = optional(
                json["ending"],
                { $0.stringValue.flatMap(SignedOutReason.init) }
            )
        else { return nil }
        var pair = StoredPair(
            generation: generation,
            tokens: TokenPair(
                access: AccessToken(access),
                refresh: refresh.map(RefreshToken.init),
                captures: captures(json["captures"])
            ),
            sentAt: sentAt,
            accessExpiry: accessExpiry,
            refreshSentAt: refreshSentAt,
            refreshExpiry: refreshExpiry,
            subject: subject,
            displayName: displayName,
            offset: offset
        )
        // Missing from a record that an older version wrote.
        pair.beganAt = json["beganAt"].date
        pair.account = account(json["account"])
        pair.isUnchanged = isUnchanged
        // Missing from a record that an older version wrote.
        pair.isReusable = json["isReusable"]?.boolValue ?? false
        pair.hasFixedExpiry = hasFixedExpiry
        pair.ending = ending
        pair.refusal = json["refusal"].flatMap(refusal)
        return pair
    }

    /// Returns no values for a record that was written before there were any.
    private static func captures(_ json: JSONValue?) -> CapturedValues {
        guard case .object(let members)? = json else { return .none }
        return CapturedValues(members.compactMapValues(secret))
    }

    /// Returns an empty list for a record that was written before there were account details.
    private static func account(_ json: JSONValue?) -> [AccountDetail] {
        guard case .array(let details)? = json else { return [] }
        return details.compactMap { detail in
            guard let path = detail["path"]?.stringValue, let value = detail["value"]?.stringValue
            else { return nil }
            return AccountDetail(path: path, value: value)
        }
    }

    private static func expiry(_ json: JSONValue) -> Expiry? {
        guard let seconds = json["seconds"]?.numberValue,
            let source = json["source"]?.stringValue.flatMap(ExpirySource.init),
            let skewWidth = json["skewWidth"]?.numberValue,
            case .array(let mismatch)? = json["mismatch"]
        else { return nil }
        let readings = mismatch.compactMap { json -> Expiry.Reading? in
            guard let seconds = json["seconds"]?.numberValue,
                let source = json["source"]?.stringValue.flatMap(ExpirySource.init)
            else { return nil }
            return Expiry.Reading(source: source, seconds: seconds, margin: margin(json))
        }
        guard readings.count == mismatch.count else { return nil }
        return Expiry(
            seconds: seconds,
            source: source,
            skewWidth: skewWidth,
            margin: margin(json),
            mismatch: readings
        )
    }

    /// None in a record that was written before there were any.
    private static func margin(_ json: JSONValue) -> Double {
        json["margin"]?.numberValue ?? 0
    }

    /// In a record that was written before they were told apart, `high` is the likely one.
    private static func offset(_ json: JSONValue) -> ServerOffset? {
        let high = json["high"]?.numberValue
        guard let low = json["low"]?.numberValue else { return nil }
        if let likelyHigh = json["likelyHigh"]?.numberValue {
            return ServerOffset(low: low, likelyHigh: likelyHigh, high: high)
        }
        return high.map { ServerOffset(low: low, likelyHigh: $0) }
    }
}

// MARK: - Values

extension RecordCoding {
    private static func secret(_ json: JSONValue) -> Secret? {
        json.stringValue.map(Secret.init)
    }

    /// Reads a value that may be null, but not missing or invalid.
    ///
    /// - Parameters:
    ///   - json: The value, or `nil` if the key is missing.
    ///   - read: Converts the value, or returns `nil` if it is invalid.
    /// - Returns: `nil` if the value is missing or invalid; `.some(nil)` if it is null.
    private static func optional<Value>(
        _ json: JSONValue?,
        _ read: (JSONValue) -> Value?
    ) -> Value?? {
        guard let json else { return nil }
        if json == .null { return .some(nil) }
        return read(json).map { .some($0) }
    }
}

extension JSONValue {
    /// Accesses a member of an object.
    subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { return members[key] }
        return nil
    }
}

extension JSONValue? {
    /// The value as an integer, in whichever notation it is written.
    var integer: Int? {
        switch self {
        case .integer(let value)?: Int(value)
        case .number(let value)?: Int(exactly: value)
        case .null?, .bool?, .string?, .array?, .object?, nil: nil
        }
    }

    fileprivate var date: Date? {
        guard let seconds = self?.numberValue, seconds.isFinite else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}
