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
    /// The pair as it is stored, with `times` on the wall clock.
    let record: PairRecord
    let times: PairTimes<Moment, Deadline>
    /// The statements about the two expiries that cannot be used.
    let unusableExpiries: UnusableExpiries

    init(
        family: String,
        record: PairRecord,
        times: PairTimes<Moment, Deadline>,
        unusableExpiries: UnusableExpiries = UnusableExpiries()
    ) {
        var record = record
        record.times = times.onWallClock
        self.family = family
        self.record = record
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
            times: times.onWallClock,
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

    /// Returns the pair with the times of another one that has the same access token.
    ///
    /// Those of a stored pair are told by the wall clock, which may have been set in between.
    func keepingAccessTimes(of other: SessionPair) -> SessionPair {
        var times = times
        times.issuedAt = other.times.issuedAt
        times.beganAt = other.times.beganAt
        times.access = other.times.access
        return SessionPair(
            family: family,
            record: record,
            times: times,
            unusableExpiries: unusableExpiries
        )
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

    /// The scopes that the pair before had and this one has not.
    ///
    /// The answers state them, or else both access tokens; nothing follows from what is left out.
    func lostScopes(after previous: SessionPair) -> [String] {
        func claimed(_ pair: SessionPair) -> Set<String>? {
            JSONWebToken(reading: pair.tokens.access.secret)
                .flatMap { Scopes.claimed(in: $0.claims) }
        }
        func stated(_ pair: SessionPair) -> Set<String>? {
            pair.record.statements.scopes.map { Set($0) }
        }
        for read in [stated, claimed] {
            guard let before = read(previous), let after = read(self) else { continue }
            let lost = Scopes.lost(from: before, to: after)
            if !lost.isEmpty {
                return lost.prefix(ScopesLost.limit).map { $0.inOneLine(limit: 64) }
            }
        }
        return []
    }

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
        var times = stored.times.onProcessClock(clock.moment)
        if clock.setBack > 0 {
            times.refresh = times.refresh?.assumed
            if stored.tokens.refresh == nil {
                times.access = times.access?.assumed
            } else if let end = times.access?.at {
                times.access?.at = min(end, clock.present)
            }
        }
        self.init(
            family: family,
            record: stored,
            times: times,
            unusableExpiries: stored.tokens.unusableExpiries
        )
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
