import Basics
import Client
import Foundation
import Model
import Profiles

extension VaultRecord {
    /// Tokens that are easy to find again.
    static let access = "ACCESS-0123456789abcdefghijklmnopqrstuvwxyz"
    static let refresh = "REFRESH-zyxwvutsrqponmlkjihgfedcba9876543210"
    static let owed = "OWED-zyxwvutsrqponmlkjihgfedcba9876543210"
    static let idToken = "ID-0123456789zyxwvutsrqponmlkjihgfedcba"
    static let captured = "CSRF-0123456789zyxwvutsrqponmlkjihgfedcba"

    /// A session as a login leaves it.
    static func signedIn(generation: Int = 1, epoch: Int = 1) -> VaultRecord {
        let sentAt = Date(timeIntervalSinceReferenceDate: 817_000_000.123_456)
        return VaultRecord(
            dialect: "voltyks",
            baseURL: "http://127.0.0.1:8787/voltyks",
            family: "f00d",
            pair: PairRecord(
                generation: generation,
                tokens: TokenPair(
                    access: AccessToken(Secret(access + "-\(generation)")),
                    refresh: RefreshToken(Secret(refresh + "-\(generation)"))
                ),
                times: PairTimes(
                    issuedAt: sentAt,
                    refreshIssuedAt: sentAt,
                    access: Expiry(seconds: 19.75, source: .webTokenLifetime),
                    refresh: Expiry(seconds: 300, source: .assumed)
                )
            ),
            epoch: epoch,
            savedAt: sentAt.addingTimeInterval(0.1)
        )
    }

    /// A session whose refresh token is being sent, and does not change.
    static func renewing() -> VaultRecord {
        var record = signedIn(generation: 2)
        record.pair?.times.refreshIssuedAt = Date(timeIntervalSinceReferenceDate: 816_999_000)
        record.pair?.isReusable = true
        record.pair?.offset = ServerOffset(low: -1.5, likelyHigh: 0.25)
        record.journal = FlightJournal(
            generation: 2,
            sends: 1,
            preparedAt: Date(timeIntervalSinceReferenceDate: 817_000_015.75)
        )
        return record
    }

    /// A session whose access token outlives the refresh token that was refused.
    static func refused() -> VaultRecord {
        var record = signedIn(generation: 4)
        record.pair?.tokens.refresh = nil
        record.pair?.times.refresh = nil
        record.pair?.times.access = nil
        record.pair?.ending = .revoked
        record.pair?.refusal = RefusalEvidence(
            age: 4,
            lifetime: nil,
            sendsWithoutAnswer: 0,
            possibleCauses: [.usedElsewhere]
        )
        return record
    }

    /// A session whose login brought an ID token.
    static func identified(generation: Int = 1) -> VaultRecord {
        var record = signedIn(generation: generation, epoch: 3)
        record.pair?.idToken = Secret(idToken)
        return record
    }

    /// The record of a logout until the backend knows of it.
    static func signedOut() -> VaultRecord {
        var record = full()
        record.pair = nil
        record.journal = nil
        record.ending = StoredEnding(
            family: "f00d",
            reason: .user,
            endedAt: Date(timeIntervalSinceReferenceDate: 817_000_100)
        )
        return record
    }

    /// Everything that a record can hold.
    static func full() -> VaultRecord {
        var record = signedIn(generation: 7, epoch: 3)
        record.pair?.times.access = Expiry(
            seconds: -0.1,
            source: .inferredZone,
            skewWidth: 1.0 / 3,
            margin: 1,
            mismatch: [
                Expiry.Reading(source: .lifetime, seconds: 1e9, margin: 1),
                Expiry.Reading(source: .timestamp, seconds: -7_200),
            ]
        )
        record.pair?.statements.subject = "user 4711 \"ü\" 🦊\n\u{0}"
        record.pair?.statements.displayName = "Ada"
        record.pair?.statements.account = [AccountDetail(path: "user.isNewUser", value: "false")]
        record.pair?.offset = ServerOffset(low: -0.25, likelyHigh: 0.75, high: 1.5)
        record.pair?.tokens.captures = CapturedValues(["csrf": Secret(captured)])
        record.pair?.isUnchanged = true
        record.pair?.hasFixedExpiry = true
        record.pair?.times.beganAt = Date(timeIntervalSinceReferenceDate: 789_000_000.25)
        record.pair?.ending = .lostRotation
        record.pair?.refusal = refusal
        record.journal = FlightJournal(
            generation: 7,
            sends: 2,
            preparedAt: Date(timeIntervalSinceReferenceDate: 0.1)
        )
        record.outbox = [
            PendingRevocation(
                id: "1",
                scope: .everywhere,
                refresh: RefreshToken(Secret(owed)),
                access: AccessToken(Secret(access)),
                captures: CapturedValues(["csrf": Secret(captured)]),
                expiresAt: Date(timeIntervalSinceReferenceDate: 1e9)
            ),
            PendingRevocation(id: "2", scope: .this, refresh: nil, access: nil, expiresAt: nil),
        ]
        return record
    }

    /// The record after a logout.
    static func tombstone() -> VaultRecord {
        var record = full()
        record.pair = nil
        record.journal = nil
        record.ending = StoredEnding(
            family: "f00d",
            reason: .revoked,
            endedAt: Date(timeIntervalSinceReferenceDate: 817_000_100.5),
            refusal: refusal
        )
        return record
    }

    private static let refusal = RefusalEvidence(
        age: 12.25,
        lifetime: 300,
        source: .timestamp,
        sendsWithoutAnswer: 1,
        possibleCauses: [.answerLost, .revoked],
        message: "Refresh token reused or revoked \"ü\""
    )
}

extension VaultCommit {
    /// A login.
    static func login(_ record: VaultRecord) -> VaultCommit {
        VaultCommit(record: record, condition: .always)
    }

    /// A registration.
    static func client(_ client: RegisteredClient, replacing: RegisteredClient?) -> VaultCommit {
        var record = VaultRecord.signedIn()
        record.pair = nil
        record.client = client
        return VaultCommit(record: record, condition: .client(replacing: replacing))
    }

    /// A renewal of the session that the record is of.
    static func renewal(_ record: VaultRecord) -> VaultCommit {
        VaultCommit(
            record: record,
            condition: .sameSession(epoch: record.epoch, family: record.family)
        )
    }
}
