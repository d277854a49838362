package import Dialects
import FoundationEssentials
package import Timekeeping
package import Tokens

/// The pair in use, with everything that the machine learned about it, on the clock that decides.
package struct HeldPair: Sendable, Hashable {
    package var family: String
    package var generation: Int
    package var tokens: TokenPair
    package var issuedAt: Moment
    package var access: Deadline?
    package var refresh: Deadline?
    package var refreshIssuedAt: Moment
    package var subject: String?
    package var displayName: String?
    package var account: [AccountDetail] = []
    package var schedule: RenewalSchedule?

    /// How often the refresh token was sent without an answer that settles what became of it.
    var unsettledSends = 0
    /// The last refresh brought no new refresh token, so this one was kept.
    var isUnchanged = false
    /// A refresh that should have moved the refresh token's end on did not.
    var hasFixedExpiry = false
    /// Why its refresh token was taken out: the access token lives on until `usableUntil`.
    var ending: SignedOutReason?
    /// A refusal that counts only when it comes again.
    var bareRefusalAt: Instant?
    /// The server asked not to be called before then.
    var notBefore: Instant?

    /// Whether the access token may be used; one whose end is unknown may, until it is refused.
    package func isUsable(at now: Instant) -> Bool {
        guard let schedule else { return true }
        return now < schedule.usableUntil
    }

    /// Whether the refresh token is known to be over: an end that was only assumed never is.
    func hasRefreshEnded(at now: Instant) -> Bool {
        guard let refresh, !refresh.expiry.isAssumed else { return false }
        return refresh.at <= now
    }
}

extension HeldPair {
    /// What the vault keeps of it.
    package func stored(offset: ServerOffset?) -> StoredPair {
        var pair = StoredPair(
            generation: generation,
            tokens: tokens,
            sentAt: issuedAt.wall,
            accessExpiry: access?.expiry,
            refreshSentAt: refreshIssuedAt.wall,
            refreshExpiry: refresh?.expiry,
            subject: subject,
            displayName: displayName,
            offset: offset
        )
        pair.account = account
        pair.isUnchanged = isUnchanged
        pair.hasFixedExpiry = hasFixedExpiry
        pair.ending = ending
        return pair
    }

    /// A stored pair on this process's clock.
    ///
    /// Where the clock was set back, nobody knows how long ago the pair was stored. Its access
    /// token counts as over if there is a refresh token to renew it with; every other end is an
    /// assumption, because a session must not end for what is only a guess.
    init(stored: StoredPair, family: String, times: StoredTimes) {
        let issuedAt = times.moment(at: stored.sentAt)
        let refreshIssuedAt = times.moment(at: stored.refreshSentAt)
        self.init(
            family: family,
            generation: stored.generation,
            tokens: stored.tokens,
            issuedAt: issuedAt,
            access: stored.accessExpiry.map { Deadline($0, sentAt: issuedAt.now) },
            refresh: stored.refreshExpiry.map { Deadline($0, sentAt: refreshIssuedAt.now) },
            refreshIssuedAt: refreshIssuedAt,
            subject: stored.subject,
            displayName: stored.displayName
        )
        account = stored.account
        isUnchanged = stored.isUnchanged
        hasFixedExpiry = stored.hasFixedExpiry
        ending = stored.ending
        guard times.setBack > 0 else { return }
        refresh = refresh?.assumed
        if stored.tokens.refresh == nil {
            access = access?.assumed
        } else if let end = access?.at {
            access?.at = min(end, times.present)
        }
    }
}

/// The times of a stored record on this process's clock: none of them lies in the future.
struct StoredTimes {
    /// The wall clock was set back by this much at least since the record was saved, in seconds; 0
    /// where nothing shows that it was.
    let setBack: Double
    private let now: Moment

    init(savedAt: Date, now: Moment) {
        let ahead = savedAt.timeIntervalSince(now.wall)
        setBack = ahead > WakeWatch.step ? ahead : 0
        self.now = now
    }

    var present: Instant { now.now }

    /// When that was, counted back from when the record was saved where the clock was set back.
    func moment(at date: Date) -> Moment {
        let wall = min(date.addingTimeInterval(-setBack), now.wall)
        return Moment(now: now.instant(at: wall), wall: wall)
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
    /// The same end as a mere assumption: it was stated of another token.
    var assumed: Deadline {
        let guess = Expiry(
            seconds: expiry.seconds,
            source: .assumed,
            skewWidth: expiry.skewWidth
        )
        return Deadline(at: at, lifetime: lifetime, expiry: guess)
    }
}
