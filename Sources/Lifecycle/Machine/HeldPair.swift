package import Dialects
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
    var wasKept = false
    /// A refresh that should have moved the refresh token's end on did not.
    var isEndFixed = false
    /// Why its refresh token was taken out: the access token lives on until `hard`.
    var ending: SignedOutReason?
    /// A refusal that counts only when it comes again.
    var bareRefusalAt: Instant?
    /// The server asked not to be called before then.
    var notBefore: Instant?

    /// Whether the access token may be used; one whose end is unknown may, until it is refused.
    package func isUsable(at now: Instant) -> Bool {
        guard let schedule else { return true }
        return now < schedule.hard
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
        pair.wasKept = wasKept
        pair.isEndFixed = isEndFixed
        pair.ending = ending
        return pair
    }

    /// A stored pair on this process's clock.
    package init(stored: StoredPair, family: String, at moment: Moment) {
        self.init(
            family: family,
            generation: stored.generation,
            tokens: stored.tokens,
            issuedAt: Moment(now: moment.instant(at: stored.sentAt), wall: stored.sentAt),
            access: stored.accessExpiry.map {
                Deadline($0, sentAt: moment.instant(at: stored.sentAt))
            },
            refresh: stored.refreshExpiry.map {
                Deadline($0, sentAt: moment.instant(at: stored.refreshSentAt))
            },
            refreshIssuedAt: Moment(
                now: moment.instant(at: stored.refreshSentAt),
                wall: stored.refreshSentAt
            ),
            subject: stored.subject,
            displayName: stored.displayName
        )
        account = stored.account
        wasKept = stored.wasKept
        isEndFixed = stored.isEndFixed
        ending = stored.ending
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
