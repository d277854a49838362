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
    /// Counts the pairs of the family, from 1.
    package let generation: Int
    package let tokens: TokenPair
    /// When the request for it was sent.
    let issuedAt: Moment
    package let access: Deadline?
    package let refresh: Deadline?
    /// What was stated of the two and cannot be used.
    let unusableExpiries: UnusableExpiries
    /// When the request was sent from which the refresh token's end counts.
    let refreshIssuedAt: Moment
    /// When the login was sent that the pair descends from, or `nil` if that is not known.
    let beganAt: Moment?
    let subject: String?
    let displayName: String?
    let account: [AccountDetail]
    /// Whether the last refresh returned no new refresh token, so that this one was kept.
    package let isUnchanged: Bool
    /// The refresh token was accepted again after that: use does not spend it.
    package let isReusable: Bool
    /// A refresh that should have moved the refresh token's end on did not.
    let hasFixedExpiry: Bool
    /// Why its refresh token was removed; the access token may still be valid.
    let ending: SignedOutReason?
    /// What was known of the refresh token when the backend refused it.
    let refusal: RefusalEvidence?

    init(
        family: String,
        generation: Int,
        tokens: TokenPair,
        issuedAt: Moment,
        access: Deadline?,
        refresh: Deadline?,
        unusableExpiries: UnusableExpiries = UnusableExpiries(),
        refreshIssuedAt: Moment,
        beganAt: Moment? = nil,
        subject: String?,
        displayName: String?,
        account: [AccountDetail],
        isUnchanged: Bool = false,
        isReusable: Bool = false,
        hasFixedExpiry: Bool = false,
        ending: SignedOutReason? = nil,
        refusal: RefusalEvidence? = nil
    ) {
        self.family = family
        self.generation = generation
        self.tokens = tokens
        self.issuedAt = issuedAt
        self.access = access
        self.refresh = refresh
        self.unusableExpiries = unusableExpiries
        self.refreshIssuedAt = refreshIssuedAt
        self.beganAt = beganAt
        self.subject = subject
        self.displayName = displayName
        self.account = account
        self.isUnchanged = isUnchanged
        self.isReusable = isReusable
        self.hasFixedExpiry = hasFixedExpiry
        self.ending = ending
        self.refusal = refusal
    }

    /// The pair of a login.
    ///
    /// - Parameters:
    ///   - issued: What the login was answered with.
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
        self.init(
            family: family,
            generation: 1,
            tokens: TokenPair(
                access: issued.access,
                refresh: issued.refresh,
                captures: CapturedValues(issued.captured.values)
            ),
            issuedAt: sentAt,
            access: server.deadline(issued.accessEvidence, sentAt: sentAt),
            refresh: server.deadline(refreshEvidence, sentAt: sentAt),
            unusableExpiries: issued.unusableExpiries,
            refreshIssuedAt: sentAt,
            beganAt: isLogin ? sentAt : nil,
            subject: issued.subject,
            displayName: issued.displayName,
            account: issued.account
        )
    }

    /// Returns the same pair without its refresh token, which must never be sent again.
    func withoutRefreshToken(
        _ reason: SignedOutReason,
        _ refusal: RefusalEvidence?
    ) -> SessionPair {
        var tokens = tokens
        tokens.refresh = nil
        return with(tokens, ending: reason, refusal: refusal)
    }

    /// Returns the same pair with other captured values.
    func replacing(captures: CapturedValues) -> SessionPair {
        var tokens = tokens
        tokens.captures = captures
        return with(tokens, ending: ending, refusal: refusal)
    }

    private func with(
        _ tokens: TokenPair,
        ending: SignedOutReason?,
        refusal: RefusalEvidence?
    ) -> SessionPair {
        SessionPair(
            family: family,
            generation: generation,
            tokens: tokens,
            issuedAt: issuedAt,
            access: access,
            refresh: refresh,
            unusableExpiries: unusableExpiries,
            refreshIssuedAt: refreshIssuedAt,
            beganAt: beganAt,
            subject: subject,
            displayName: displayName,
            account: account,
            isUnchanged: isUnchanged,
            isReusable: isReusable,
            hasFixedExpiry: hasFixedExpiry,
            ending: ending,
            refusal: refusal
        )
    }

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
        var pair = PairRecord(
            generation: generation,
            tokens: tokens,
            sentAt: issuedAt.wall,
            accessExpiry: access?.expiry,
            refreshSentAt: refreshIssuedAt.wall,
            refreshExpiry: refresh?.expiry,
            subject: subject,
            displayName: displayName
        )
        pair.offset = offset
        pair.beganAt = beganAt?.wall
        pair.account = account
        pair.isUnchanged = isUnchanged
        pair.isReusable = isReusable
        pair.hasFixedExpiry = hasFixedExpiry
        pair.ending = ending
        pair.refusal = refusal
        return pair
    }

    /// Creates a pair from its stored form, on this process's clock.
    ///
    /// If the clock was set back, the time since the pair was stored is unknown. Then its access
    /// token counts as expired if there is a refresh token to renew it with, and every other expiry
    /// is an assumption, because a session must not end because of a guess.
    convenience init(stored: PairRecord, family: String, times: StoredTimes) {
        let issuedAt = times.moment(at: stored.sentAt)
        let refreshIssuedAt = times.moment(at: stored.refreshSentAt)
        var access = stored.accessExpiry.map { Deadline($0, sentAt: issuedAt.now) }
        var refresh = stored.refreshExpiry.map { Deadline($0, sentAt: refreshIssuedAt.now) }
        if times.setBack > 0 {
            refresh = refresh?.assumed
            if stored.tokens.refresh == nil {
                access = access?.assumed
            } else if let end = access?.at {
                access?.at = min(end, times.present)
            }
        }
        self.init(
            family: family,
            generation: stored.generation,
            tokens: stored.tokens,
            issuedAt: issuedAt,
            access: access,
            refresh: refresh,
            unusableExpiries: stored.tokens.unusableExpiries,
            refreshIssuedAt: refreshIssuedAt,
            beganAt: stored.beganAt.map(times.moment),
            subject: stored.subject,
            displayName: stored.displayName,
            account: stored.account,
            isUnchanged: stored.isUnchanged,
            isReusable: stored.isReusable,
            hasFixedExpiry: stored.hasFixedExpiry,
            ending: stored.ending,
            refusal: stored.refusal
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
    /// What the tokens state of themselves and cannot be used.
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
    init(_ expiry: Expiry, sentAt: Instant) {
        self.init(
            at: sentAt.advanced(bySeconds: expiry.seconds),
            lifetime: Duration(clampingSeconds: expiry.seconds),
            expiry: expiry
        )
    }

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
