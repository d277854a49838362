package import Basics
import FoundationEssentials
package import Model
import Profiles

/// One pair of tokens with everything that is known about it, on the monotonic clock.
///
/// It is a reference to immutable values, because a pair is passed on often.
package final class SessionPair: Sendable {
    /// Identifies the login that the pair descends from; random.
    package let family: String
    /// The pair as it is stored, with the wall clock of `times`.
    let record: PairRecord
    let times: PairTimes
    /// The statements about the two expiries that cannot be used.
    let unusableExpiries: UnusableExpiries

    init(
        family: String,
        record: PairRecord,
        times: PairTimes,
        unusableExpiries: UnusableExpiries = UnusableExpiries()
    ) {
        self.family = family
        self.record = record.with(times)
        self.times = times
        self.unusableExpiries = unusableExpiries
    }

    /// The pair of a login.
    ///
    /// - Parameters:
    ///   - issued: The tokens of the login's answer.
    ///   - family: Identifies the new session.
    ///   - sentAt: When the login was sent.
    ///   - server: The server's clock as far as it is known.
    ///   - isLogin: Whether the session begins with it.
    convenience init(
        first issued: IssuedTokens,
        family: String,
        sentAt: Moment,
        server: ServerClock,
        isLogin: Bool = true
    ) {
        let refreshEvidence = issued.refresh == nil ? [] : issued.refreshEvidence
        let times = PairTimes(
            issuedAt: sentAt,
            refreshIssuedAt: sentAt,
            beganAt: isLogin ? sentAt : nil,
            access: server.deadline(issued.accessEvidence, sentAt: sentAt),
            refresh: server.deadline(refreshEvidence, sentAt: sentAt)
        )
        var record = PairRecord(
            generation: 1,
            tokens: TokenPair(
                access: issued.access,
                refresh: issued.refresh,
                captures: CapturedValues(issued.captured.values)
            ),
            sentAt: sentAt.wall,
            accessExpiry: times.access?.expiry,
            refreshSentAt: sentAt.wall,
            refreshExpiry: times.refresh?.expiry,
            statements: issued.statements
        )
        record.idToken = issued.idToken?.secret
        self.init(
            family: family,
            record: record,
            times: times,
            unusableExpiries: issued.unusableExpiries
        )
    }

    /// Returns the same pair without its refresh token, which must never be sent again.
    func withoutRefreshToken(
        _ reason: SignedOutReason,
        _ refusal: RefusalEvidence?
    ) -> SessionPair {
        var record = record
        record.tokens.refresh = nil
        record.ending = reason
        record.refusal = refusal
        return replacing(record)
    }

    /// Returns the same pair with other captured values.
    func replacing(captures: CapturedValues) -> SessionPair {
        var record = record
        record.tokens.captures = captures
        return replacing(record)
    }

    private func replacing(_ record: PairRecord) -> SessionPair {
        SessionPair(
            family: family,
            record: record,
            times: times,
            unusableExpiries: unusableExpiries
        )
    }
}

/// The times of a pair on this process's clock.
struct PairTimes: Sendable {
    /// When the request for the pair was sent.
    var issuedAt: Moment
    /// When the request was sent from which the refresh token's end counts.
    var refreshIssuedAt: Moment
    /// When the login was sent that the pair descends from, or `nil` if that is not known.
    var beganAt: Moment?
    var access: Deadline?
    var refresh: Deadline?
}

extension SessionPair {
    package var generation: Int { record.generation }
    package var tokens: TokenPair { record.tokens }
    package var idToken: Secret? { record.idToken }
    package var access: Deadline? { times.access }
    package var refresh: Deadline? { times.refresh }
    var issuedAt: Moment { times.issuedAt }
    var refreshIssuedAt: Moment { times.refreshIssuedAt }
    var subject: String? { record.statements.subject }
    package var isUnchanged: Bool { record.isUnchanged }
    package var isReusable: Bool { record.isReusable }
    var hasFixedExpiry: Bool { record.hasFixedExpiry }
    var ending: SignedOutReason? { record.ending }
    var refusal: RefusalEvidence? { record.refusal }

    /// Whether the refresh token is known to have expired; an assumed expiry does not count.
    package func hasRefreshEnded(at now: Instant) -> Bool {
        guard let refresh, !refresh.expiry.isAssumed else { return false }
        return refresh.at <= now
    }
}

// MARK: - The stored form

extension SessionPair {
    /// Returns the stored form of the pair.
    func stored(offset: ServerOffset?) -> PairRecord {
        var pair = record
        pair.offset = offset
        return pair
    }

    /// Creates a pair from its stored form, on this process's clock.
    ///
    /// If the clock was set back, the time since the pair was stored is unknown. Then its access
    /// token counts as expired if there is a refresh token to renew it with, and every other expiry
    /// is an assumption, because a session must not end because of a guess.
    convenience init(stored: PairRecord, family: String, times clock: StoredTimes) {
        let issuedAt = clock.moment(at: stored.sentAt)
        let refreshIssuedAt = clock.moment(at: stored.refreshSentAt)
        var access = stored.accessExpiry.map { Deadline($0, sentAt: issuedAt.now) }
        var refresh = stored.refreshExpiry.map { Deadline($0, sentAt: refreshIssuedAt.now) }
        if clock.setBack > 0 {
            refresh = refresh?.assumed
            if stored.tokens.refresh == nil {
                access = access?.assumed
            } else if let end = access?.at {
                access?.at = min(end, clock.present)
            }
        }
        self.init(
            family: family,
            record: stored,
            times: PairTimes(
                issuedAt: issuedAt,
                refreshIssuedAt: refreshIssuedAt,
                beganAt: stored.beganAt.map(clock.moment),
                access: access,
                refresh: refresh
            ),
            unusableExpiries: stored.tokens.unusableExpiries
        )
    }
}

extension PairRecord {
    /// Returns the record with these times on the wall clock.
    fileprivate func with(_ times: PairTimes) -> PairRecord {
        var record = self
        record.sentAt = times.issuedAt.wall
        record.refreshSentAt = times.refreshIssuedAt.wall
        record.beganAt = times.beganAt?.wall
        record.accessExpiry = times.access?.expiry
        record.refreshExpiry = times.refresh?.expiry
        return record
    }
}

/// The times of a stored record on this process's clock, none of which is in the future.
struct StoredTimes {
    /// The wall clock was set back by this much at least since the record was saved, in seconds; 0
    /// if nothing shows that it was.
    let setBack: Double
    private let now: Moment

    init(savedAt: Date, now: Moment) {
        let ahead = savedAt.timeIntervalSince(now.wall)
        setBack = ahead > WallClockWatch.silent ? ahead : 0
        self.now = now
    }

    var present: Instant { now.now }

    /// Returns the moment of a date, relative to the time of saving if the clock was set back.
    func moment(at date: Date) -> Moment {
        let wall = min(date.addingTimeInterval(-setBack), now.wall)
        return Moment(now: now.instant(at: wall), wall: wall)
    }
}

extension TokenPair {
    /// The tokens' statements about themselves that cannot be used.
    fileprivate var unusableExpiries: UnusableExpiries {
        func statements(_ secret: Secret?) -> [UnusableExpiry] {
            let evidence = secret.flatMap(JSONWebToken.init(reading:))?.expiryEvidence
            return [evidence?.unusable].compactMap(\.self)
        }
        return UnusableExpiries(
            access: statements(access.secret),
            refresh: statements(refresh?.secret)
        )
    }
}

extension Deadline {
    /// The same expiry as an assumption, since it was stated for another token.
    var assumed: Deadline {
        let guess = Expiry(
            seconds: expiry.seconds,
            source: .assumed,
            skewWidth: expiry.skewWidth,
            margin: expiry.margin
        )
        return Deadline(at: at, lifetime: lifetime, expiry: guess)
    }
}
