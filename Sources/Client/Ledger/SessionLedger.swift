import Basics
import FoundationEssentials
import Model
import Profiles

/// The knowledge about one session from its exchanges, regardless of which client sent them.
///
/// It takes observations and returns their meaning, or events. It makes no decisions: its owner
/// decides when a pair is renewed and where it is stored.
struct SessionLedger: Sendable {
    /// The profile's rules for refreshes.
    struct Rules: Sendable, Hashable {
        var rotation: Rotation
        /// Whether a refresh extends a refresh token that it does not replace.
        var refreshSlides: Bool
        /// Whether a refresh spends a refresh token that it does not replace.
        var spendsUnreplaced: Bool = false
        /// The longest life of a session in seconds, from its login on, if it is documented.
        var sessionLife: Double?
    }

    /// The pair in use.
    private(set) var pair: SessionPair
    private let rules: Rules

    /// The number of times that the refresh token was sent without a conclusive response.
    private(set) var unsettledSends = 0
    /// Those among them that are another process's, as the record had them when it was read last.
    private var inheritedSends = 0
    /// The time of a refusal that counts only if it is repeated.
    private var bareRefusalAt: Instant?
    /// The instant before which the server requested not to be called.
    private(set) var notBefore: Instant?
    /// Whether a request with the access token in use was refused, as far as is known for the token,
    /// and none was accepted since.
    var isAccessRefused = false
    /// The tokens that the last renewals replaced: for experiments, in memory only.
    private(set) var replaced: ReplacedTokens?

    /// Creates a ledger that begins with a pair.
    ///
    /// - Parameters:
    ///   - pair: The pair of a login, or a stored one.
    ///   - rules: The profile's rules for refreshes.
    init(_ pair: SessionPair, rules: Rules) {
        self.pair = pair
        self.rules = rules
    }

    /// Returns the expiry of the refresh token, if a refresh may extend it.
    static func extendableEnd(of pair: SessionPair, _ rules: Rules) -> Deadline? {
        guard pair.tokens.refresh != nil, !pair.hasFixedExpiry, rules.rotation != .never else {
            return nil
        }
        return pair.refresh
    }

    var extendableEnd: Deadline? { Self.extendableEnd(of: pair, rules) }

    // MARK: - Sends

    /// Counts the sends of the refresh token that are about to happen.
    ///
    /// - Parameters:
    ///   - count: Their number.
    ///   - known: The number of unanswered sends that the record has now that no other process can
    ///     send, or `nil` without a record. Another process may have taken its own back since it was
    ///     read before.
    /// - Returns: The number of unanswered sends, including these.
    mutating func refreshTokenWillBeSent(_ count: Int = 1, knownSends known: Int?) -> Int {
        let own = unsettledSends - inheritedSends
        if let known { inheritedSends = max(0, known - own) }
        unsettledSends = own + inheritedSends + count
        return unsettledSends
    }

    /// Reverts the count of sends that did not take place, or that the backend did not act upon.
    mutating func refreshTokenNotUsed(_ count: Int = 1) {
        unsettledSends -= count
    }

    /// Removes the refresh token, which is no longer accepted.
    mutating func refreshTokenEnded(
        _ reason: SignedOutReason,
        _ refusal: RefusalEvidence?
    ) {
        pair = pair.withoutRefreshToken(reason, refusal)
    }

    /// Replaces the refresh token; what is known of the access token, which stays, remains so.
    ///
    /// - Parameter next: The pair in use with its new refresh token.
    mutating func replaceRefreshToken(with next: SessionPair) {
        let isRefused = isAccessRefused
        begin(next, unsettledSends: 0)
        isAccessRefused = isRefused
    }

    /// Replaces the values that requests send again.
    mutating func replaceCaptures(_ captures: CapturedValues) {
        pair = pair.replacing(captures: captures)
    }

    mutating func serverRequestedWait(until instant: Instant) {
        notBefore = max(notBefore ?? instant, instant)
    }

    /// Replaces the pair in use.
    ///
    /// - Parameters:
    ///   - next: The pair.
    ///   - unsettledSends: The number of times that its refresh token was already sent without an
    ///     answer.
    mutating func begin(_ next: SessionPair, unsettledSends: Int) {
        replaced = ReplacedTokens(pair, by: next, before: replaced)
        pair = next
        self.unsettledSends = unsettledSends
        inheritedSends = unsettledSends
        bareRefusalAt = nil
        notBefore = nil
        isAccessRefused = false
    }
}

// MARK: - What an answer means

extension SessionLedger {
    /// The meaning of a response to a refresh for the session.
    enum RefreshMeaning: Sendable {
        case renewed(IssuedTokens)
        /// There is no access token to use, but the refresh token has been replaced.
        case refreshTokenOnly(RefreshSuccessor, retryAfter: Double?)
        /// There is no new pair; the refresh token is unchanged.
        case failed(RefreshFailure, retryAfter: Double?)
        /// It is unknown whether the refresh token is spent.
        case lost(RefreshFailure)
        /// The refresh token is no longer accepted; `isBare` if the response was not of the
        /// dialect's form.
        case refused(RefreshFailure, SignedOutReason, isBare: Bool)
    }

    /// Observes the end of a refresh with this ledger's refresh token.
    ///
    /// - Parameters:
    ///   - exchange: The response, or why there is none.
    ///   - moment: The current time.
    ///   - server: The server's clock.
    /// - Returns: The meaning for the session.
    mutating func refreshEnded(
        _ exchange: CompletedExchange<RefreshResponse>,
        at moment: Moment,
        server: ServerClock
    ) -> RefreshMeaning {
        switch exchange.outcome {
        case .notSent(let cause):
            refreshTokenNotUsed()
            return .failed(RefreshFailure(.unsent(cause)), retryAfter: nil)
        case .unanswered(let detail): return .lost(RefreshFailure(.unanswered(detail: detail)))
        case .answered(.issued(let issued)): return .renewed(issued)
        case .answered(.refreshTokenOnly(let successor)):
            let seconds = server.seconds(until: successor.retryAfter, from: moment.wall)
            return .refreshTokenOnly(successor, retryAfter: seconds)
        case .answered(.refused(let refusal)): return refused(refusal, at: moment.now)
        case .answered(.failed(let failure)):
            switch failure {
            case .transient(let status, _, let retryAfter):
                // A rate limit applies before the request is processed; an error page may hide a
                // success.
                if status < 500 { refreshTokenNotUsed() }
                let seconds = server.seconds(until: retryAfter, from: moment.wall)
                return .failed(RefreshFailure(failure), retryAfter: seconds)
            case .clientFault, .clientForgotten, .forbidden:
                refreshTokenNotUsed()
                return .failed(RefreshFailure(failure), retryAfter: nil)
            case .undecodable: return .lost(RefreshFailure(failure))
            }
        }
    }

    /// Interprets a refusal.
    ///
    /// One without a body of the dialect's form may come from an intermediary: it counts only if it
    /// is repeated.
    private mutating func refused(_ refusal: Refusal, at now: Instant) -> RefreshMeaning {
        let failure = RefreshFailure(
            .refreshTokenRefused(status: refusal.status, detail: refusal.message),
            statedCauses: refusal.causes.isEmpty ? nil : refusal.causes
        )
        guard refusal.isBare else {
            return .refused(failure, reason(refusal.causes, at: now), isBare: false)
        }
        let isSecond =
            bareRefusalAt.map { now.seconds(since: $0) >= RetryPolicy.bareRefusalGap } ?? false
        if isSecond { return .refused(failure, reason([], at: now), isBare: true) }
        bareRefusalAt = bareRefusalAt ?? now
        refreshTokenNotUsed()
        return .failed(failure, retryAfter: RetryPolicy.bareRefusalGap)
    }

    /// Returns why the refresh token in use is refused: what the refusal says of it, or else what
    /// the evidence suggests.
    private func reason(_ stated: [RefusalCause], at now: Instant) -> SignedOutReason {
        if let reason = SignedOutReason(stated) { return reason }
        if unsettledSends > 1, rules.rotation != .never { return .lostRotation }
        if hasSessionEnded(at: now) { return .sessionExpired }
        if let end = pair.refresh?.at, now >= end.advanced(bySeconds: -1) { return .refreshExpired }
        if mayBeSpentByUse { return .consumeWithoutReturn }
        return .revoked
    }

    /// When the session reaches its longest life, or `nil` if that is not documented, or it is not
    /// known when it began.
    var sessionEnd: Instant? {
        guard let life = rules.sessionLife, let began = pair.times.beganAt else { return nil }
        return began.now.advanced(bySeconds: life)
    }

    private func hasSessionEnded(at now: Instant) -> Bool {
        sessionEnd.map { now >= $0.advanced(bySeconds: -1) } ?? false
    }

    /// Whether the last renewal may have spent the refresh token that it did not replace.
    private var mayBeSpentByUse: Bool {
        pair.isUnchanged && !pair.isReusable && rules.rotation != .never
    }

    /// Whether the refresh token is spent, as the profile says of one that a refresh does not
    /// replace, so that the next refresh is refused.
    var isRefreshTokenSpent: Bool {
        rules.spendsUnreplaced && pair.tokens.refresh != nil && mayBeSpentByUse
    }

    /// Returns what the last refresh did with a refresh token that it did not replace, or `nil` if
    /// it replaced it, or there was none.
    func keptRefreshToken(
        _ origin: PairDescription.Origin,
        rotated: Bool
    ) -> KeptRefreshToken? {
        guard pair.tokens.refresh != nil, !rotated else { return nil }
        guard pair.isUnchanged else { return origin == .refresh ? .repeated : nil }
        return isRefreshTokenSpent ? .spent : .omitted
    }

    /// No refresh token lives shorter without saying so, in seconds.
    private static let shortestLife = 10.0

    /// Returns what is known about the refresh token at the moment of its refusal.
    ///
    /// - Parameters:
    ///   - failure: The refusal.
    ///   - now: The moment of the refusal.
    /// - Returns: The evidence, with the causes that it does not rule out.
    func refusalEvidence(_ failure: RefreshFailure, at now: Instant) -> RefusalEvidence {
        let stated = pair.refresh.flatMap { $0.expiry.isAssumed ? nil : $0 }
        let remaining = stated.map { $0.at.seconds(since: now) }
        var causes: [PossibleCause] = []
        if unsettledSends > 1, rules.rotation != .never { causes.append(.answerLost) }
        if mayBeSpentByUse { causes.append(.spentByUse) }
        let age = now.seconds(since: pair.refreshIssuedAt.now)
        if hasSessionEnded(at: now) { causes.append(.sessionEnded) }
        // The clocks of two hosts differ by a second; a token of some seconds has not expired unless
        // it says so.
        let mayHaveExpired = remaining.map { $0 <= 1 } ?? (age >= Self.shortestLife)
        if mayHaveExpired { causes.append(.expired) }
        if remaining.map({ $0 > 1 }) ?? true {
            if rules.rotation != .never { causes.append(.usedElsewhere) }
            causes += [.revoked, .forgotten]
            // A stated life may be misread, so that it does not rule the expiry out.
            if let stated, stated.mayBeMisread(atAge: age) { causes.append(.lifetimeMisread) }
        }
        return RefusalEvidence(
            age: age,
            lifetime: stated?.statedLifetime,
            source: stated?.expiry.source,
            sendsWithoutAnswer: max(0, unsettledSends - 1),
            possibleCauses: PossibleCause.among(causes, given: failure.statedCauses ?? []),
            message: failure.serverMessage
        )
    }

    /// Returns the next pair, which keeps the old refresh token if there is no new one.
    ///
    /// - Parameters:
    ///   - issued: The tokens in the response.
    ///   - sentAt: When the refresh was sent.
    ///   - server: The server's clock.
    ///   - wasDueForRefreshToken: Whether the refresh was to extend the refresh token, so that an
    ///     expiry that it did not extend is fixed.
    /// - Returns: The pair, which is not in use yet.
    func successor(
        _ issued: IssuedTokens,
        sentAt: Moment,
        server: ServerClock,
        wasDueForRefreshToken: Bool
    ) -> SessionPair {
        let old = pair
        let refresh = issued.refresh ?? (issued.endsRefreshToken ? nil : old.tokens.refresh)
        let isNew = refresh != old.tokens.refresh
        // The claims of the same token were read when it was new, with a younger `iat`.
        let isStated = issued.refreshEvidence.contains { evidence in
            switch evidence {
            case .lifetime, .cookieMaxAge, .instant, .cookieExpires, .inferredZone, .assumedZone,
                .assumedUnit:
                true
            case .webToken: old.refresh?.expiry.source != .webTokenLifetime
            case .documented, .unusable: false
            }
        }
        var times = old.times
        times.issuedAt = sentAt
        times.access = server.deadline(issued.accessEvidence, sentAt: sentAt)
        if isNew { times.refreshIssuedAt = sentAt }
        if isNew || isStated || rules.refreshSlides,
            let stated = server.deadline(issued.refreshEvidence, sentAt: sentAt)
        {
            // The expiry is relative to this response, also for a process that reads it from the
            // vault.
            times.refresh = stated
            times.refreshIssuedAt = sentAt
        }
        if isNew, issued.refreshEvidence.allSatisfy({ $0.unusable != nil }) {
            times.refresh = old.refresh?.assumed
        }
        var record = old.record
        record.generation += 1
        record.tokens = TokenPair(
            access: issued.access,
            refresh: refresh,
            captures: old.tokens.captures.applying(issued.captured)
        )
        record.statements.update(from: issued.statements)
        // A renewal need not bring one (OpenID Connect Core 1.0 section 12.2).
        record.idToken = issued.idToken?.secret ?? record.idToken
        record.isUnchanged = issued.refresh == nil
        record.isReusable = !isNew && (old.isReusable || old.isUnchanged)
        record.hasFixedExpiry =
            (old.hasFixedExpiry || wasDueForRefreshToken)
            && !Self.moves(old.refresh, to: times.refresh)
        record.ending = nil
        record.refusal = nil
        return SessionPair(
            family: old.family,
            record: record,
            times: times,
            unusableExpiries: issued.unusableExpiries
        )
    }

    /// Returns the pair in use with a refresh token that came without an access token.
    ///
    /// - Parameters:
    ///   - successor: The refresh token.
    ///   - sentAt: When the refresh was sent.
    ///   - server: The server's clock.
    /// - Returns: The pair, which is not in use yet.
    func pair(
        with successor: RefreshSuccessor,
        sentAt: Moment,
        server: ServerClock
    ) -> SessionPair {
        var issued = IssuedTokens(
            access: pair.tokens.access,
            refresh: successor.refresh,
            refreshEvidence: successor.evidence
        )
        issued.captured = successor.captured
        let next = self.successor(
            issued,
            sentAt: sentAt,
            server: server,
            wasDueForRefreshToken: false
        )
        var times = next.times
        (times.issuedAt, times.access) = (pair.issuedAt, pair.access)
        return SessionPair(
            family: next.family,
            record: next.record,
            times: times,
            unusableExpiries: UnusableExpiries(
                access: pair.unusableExpiries.access,
                refresh: next.unusableExpiries.refresh
            )
        )
    }

    /// Returns whether the refresh token, the same or another one, expires noticeably later than
    /// before.
    private static func moves(_ before: Deadline?, to after: Deadline?) -> Bool {
        guard let before, let after else { return false }
        return after.at.seconds(since: before.at) >= max(1, before.lifetime.inSeconds / 20)
    }
}
