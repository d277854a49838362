package import Dialects
import FoundationEssentials
package import Timekeeping
package import Tokens

/// What can be known of one session from its exchanges, whoever sent them.
///
/// It takes observations and says what they mean. It plans nothing and keeps nothing: when a pair
/// is renewed, and where it is stored, is up to whoever holds the ledger.
package struct SessionLedger: Sendable {
    /// Between two refusals without a body of the dialect's shape, in seconds.
    static let bareRefusalGap = 5.0

    /// What the profile says of refreshes.
    package struct Rules: Sendable, Hashable {
        package var rotation: Rotation
        /// Whether a refresh moves on the end of a refresh token that it does not replace.
        package var refreshSlides: Bool

        package init(rotation: Rotation, refreshSlides: Bool) {
            self.rotation = rotation
            self.refreshSlides = refreshSlides
        }
    }

    /// The pair in use.
    package private(set) var pair: SessionPair
    private let rules: Rules

    /// How often the refresh token was sent without an answer that settles what became of it.
    package private(set) var unsettledSends = 0
    /// A refusal that counts only when it comes again.
    private var bareRefusalAt: Instant?
    /// The server asked not to be called before then.
    package private(set) var notBefore: Instant?

    /// A ledger that begins with a pair.
    ///
    /// - Parameters:
    ///   - pair: Of a login, or one that was stored.
    ///   - rules: What the profile says of refreshes.
    package init(_ pair: SessionPair, rules: Rules) {
        self.pair = pair
        self.rules = rules
    }

    /// The refresh token's end, if a refresh may move it on.
    package static func extendableEnd(of pair: SessionPair, _ rules: Rules) -> Deadline? {
        guard pair.tokens.refresh != nil, !pair.hasFixedExpiry, rules.rotation != .never else {
            return nil
        }
        return pair.refresh
    }

    package var extendableEnd: Deadline? { Self.extendableEnd(of: pair, rules) }

    /// Whether a request carried the access token in use; generations of two logins may have the
    /// same number, their tokens do not.
    package func isCurrent(_ token: AccessToken?) -> Bool {
        pair.tokens.access == token
    }

    /// Seconds since the pair was asked for.
    package func age(at now: Instant) -> Double {
        now.seconds(since: pair.issuedAt.now)
    }

    // MARK: - Sends

    /// Counts a send of the refresh token that is about to happen.
    ///
    /// - Parameter known: How often it was sent without an answer as others know it.
    /// - Returns: How often that is now, this time included.
    package mutating func refreshTokenLeaves(knownSends known: Int) -> Int {
        unsettledSends = max(unsettledSends, known) + 1
        return unsettledSends
    }

    /// The refresh token did not leave, or was not acted upon: what is known of it is what was
    /// known before.
    package mutating func refreshTokenStayed() {
        unsettledSends -= 1
    }

    /// The refresh token is over: nothing more can be had for it.
    package mutating func refreshTokenEnded(_ reason: SignedOutReason) {
        pair = pair.withoutRefreshToken(reason)
    }

    package mutating func serverAskedToWait(until instant: Instant) {
        notBefore = instant
    }

    /// Another pair is the one in use.
    ///
    /// - Parameters:
    ///   - next: The pair.
    ///   - unsettledSends: How often its refresh token was sent already without an answer.
    package mutating func begin(_ next: SessionPair, unsettledSends: Int) {
        pair = next
        self.unsettledSends = unsettledSends
        bareRefusalAt = nil
        notBefore = nil
    }
}

// MARK: - What an answer means

extension SessionLedger {
    /// What an answer to a refresh means for the session.
    package enum RefreshMeaning: Sendable {
        case renewed(IssuedTokens)
        /// No new pair; the refresh token is as good as it was before.
        case failed(RefreshFailure, retryAfter: Double?)
        /// Nobody knows whether the refresh token is spent.
        case lost(RefreshFailure)
        /// The refresh token is over, and why; `isBare` if the answer was not of the dialect's
        /// shape.
        case refused(RefreshFailure, SignedOutReason, isBare: Bool)
    }

    /// Takes in how a refresh with this ledger's refresh token ended.
    ///
    /// - Parameters:
    ///   - exchange: The answer, or why there is none.
    ///   - moment: Now.
    ///   - server: The server's clock.
    /// - Returns: What it means for the session.
    package mutating func refreshEnded(
        _ exchange: Exchange<RefreshResponse>,
        at moment: Moment,
        server: ServerClock
    ) -> RefreshMeaning {
        switch exchange.outcome {
        case .notSent(let cause):
            refreshTokenStayed()
            return .failed(RefreshFailure(.unsent(cause)), retryAfter: nil)
        case .unanswered(let detail): return .lost(RefreshFailure(.unanswered(detail: detail)))
        case .answered(.issued(let issued)): return .renewed(issued)
        case .answered(.refused(let refusal)): return refused(refusal, at: moment.now)
        case .answered(.failed(let failure)):
            switch failure {
            case .transient(let status, _, let retryAfter):
                // A limit was answered before anything was done; an error page may hide a success.
                if status < 500 { refreshTokenStayed() }
                let seconds = server.seconds(until: retryAfter, from: moment.wall)
                return .failed(RefreshFailure(failure), retryAfter: seconds)
            case .clientFault:
                refreshTokenStayed()
                return .failed(RefreshFailure(failure), retryAfter: nil)
            case .undecodable: return .lost(RefreshFailure(failure))
            }
        }
    }

    /// A refusal without a body of the dialect's shape may come from something in between: it
    /// counts once it has come again.
    private mutating func refused(_ refusal: Refusal, at now: Instant) -> RefreshMeaning {
        let failure = RefreshFailure(
            .refreshTokenRefused(status: refusal.status, detail: refusal.message)
        )
        guard refusal.isBare else {
            return .refused(failure, reason(at: now), isBare: false)
        }
        let isSecond = bareRefusalAt.map { now.seconds(since: $0) >= Self.bareRefusalGap } ?? false
        if isSecond { return .refused(failure, reason(at: now), isBare: true) }
        bareRefusalAt = bareRefusalAt ?? now
        refreshTokenStayed()
        return .failed(failure, retryAfter: Self.bareRefusalGap)
    }

    /// Why the refresh token in use is refused.
    private func reason(at now: Instant) -> SignedOutReason {
        if unsettledSends > 1, rules.rotation != .never { return .lostRotation }
        if let end = pair.refresh?.at, now >= end.advanced(bySeconds: -1) { return .refreshExpired }
        if mayBeSpentByUse { return .consumeWithoutReturn }
        return .revoked
    }

    /// Whether the last renewal may have spent the refresh token that it did not replace.
    private var mayBeSpentByUse: Bool {
        pair.isUnchanged && !pair.isReusable && rules.rotation != .never
    }

    /// What is known of the refresh token at the moment of its refusal.
    ///
    /// - Parameters:
    ///   - failure: What the backend said.
    ///   - now: The moment.
    /// - Returns: The evidence, and the causes that it leaves open.
    package func refusalEvidence(_ failure: RefreshFailure, at now: Instant) -> RefusalEvidence {
        let stated = pair.refresh.flatMap { $0.expiry.isAssumed ? nil : $0 }
        let remaining = stated.map { $0.at.seconds(since: now) }
        var causes: [PossibleCause] = []
        if unsettledSends > 1, rules.rotation != .never { causes.append(.answerLost) }
        if mayBeSpentByUse { causes.append(.spentByUse) }
        // The clocks of two hosts differ by a second.
        if (remaining ?? 0) <= 1 { causes.append(.expired) }
        if remaining.map({ $0 > 1 }) ?? true {
            if rules.rotation != .never { causes.append(.usedElsewhere) }
            causes += [.revoked, .forgotten]
        }
        return RefusalEvidence(
            age: now.seconds(since: pair.refreshIssuedAt.now),
            lifetime: stated?.lifetime.inSeconds,
            sendsWithoutAnswer: max(0, unsettledSends - 1),
            possibleCauses: causes,
            message: failure.serverMessage
        )
    }

    /// The pair that follows: `new ?? old`, because an absent refresh token keeps the old one.
    ///
    /// - Parameters:
    ///   - issued: What the refresh was answered with.
    ///   - sentAt: When the refresh was sent.
    ///   - server: The server's clock.
    ///   - wasDueForRefreshToken: The refresh was made to move the refresh token's end on: one that
    ///     it did not move is fixed.
    /// - Returns: The pair, which is not the one in use yet.
    package func successor(
        _ issued: IssuedTokens,
        sentAt: Moment,
        server: ServerClock,
        wasDueForRefreshToken: Bool
    ) -> SessionPair {
        let old = pair
        let refresh = issued.refresh ?? old.tokens.refresh
        let isNew = refresh != old.tokens.refresh
        // What the same token says of itself was read when it was new, with a younger `iat`.
        let isStated = issued.refreshEvidence.contains { evidence in
            switch evidence {
            case .lifetime, .instant, .inferredZone: true
            case .webToken: old.refresh?.expiry.source != .webTokenLifetime
            case .documented: false
            }
        }
        var end = old.refresh
        var refreshIssuedAt = isNew ? sentAt : old.refreshIssuedAt
        if isNew || isStated || rules.refreshSlides,
            let stated = server.deadline(issued.refreshEvidence, sentAt: sentAt)
        {
            // Its end counts from this answer, for whoever reads it in the vault too.
            end = stated
            refreshIssuedAt = sentAt
        }
        if isNew, issued.refreshEvidence.isEmpty { end = old.refresh?.assumed }
        return SessionPair(
            family: old.family,
            generation: old.generation + 1,
            tokens: TokenPair(access: issued.access, refresh: refresh),
            issuedAt: sentAt,
            access: server.deadline(issued.accessEvidence, sentAt: sentAt),
            refresh: end,
            refreshIssuedAt: refreshIssuedAt,
            subject: issued.subject ?? old.subject,
            displayName: issued.displayName ?? old.displayName,
            account: issued.account.isEmpty ? old.account : issued.account,
            isUnchanged: issued.refresh == nil,
            isReusable: !isNew && (old.isReusable || old.isUnchanged),
            hasFixedExpiry: (old.hasFixedExpiry || wasDueForRefreshToken)
                && !Self.moves(old.refresh, to: end)
        )
    }

    /// Whether the refresh token's end is noticeably later than before, be it the same token or
    /// not.
    private static func moves(_ before: Deadline?, to after: Deadline?) -> Bool {
        guard let before, let after else { return false }
        return after.at.seconds(since: before.at) >= max(1, before.lifetime.inSeconds / 20)
    }
}

// MARK: - Events

extension SessionLedger {
    /// What the pair in use tells of itself: the pair, and where its evidence disagrees.
    ///
    /// - Parameters:
    ///   - origin: Where it comes from.
    ///   - rotated: Whether its refresh token is a new one.
    ///   - usableUntil: From when on its access token is not used any more, if anything says so.
    ///   - fingerprinter: Names its tokens.
    /// - Returns: Events in the order in which they are to be emitted.
    package func events(
        origin: PairDescription.Origin,
        rotated: Bool,
        usableUntil: Instant?,
        naming fingerprinter: Fingerprinter
    ) -> [SessionEvent.Kind] {
        func description(_ secret: Secret) -> TokenDescription {
            TokenDescription(of: secret, fingerprint: fingerprinter.fingerprint(of: secret))
        }
        let description = PairDescription(
            origin: origin,
            access: description(pair.tokens.access.secret),
            refresh: pair.tokens.refresh.map { description($0.secret) },
            issuedAt: pair.issuedAt,
            accessExpiry: pair.access,
            refreshExpiry: pair.tokens.refresh == nil ? nil : pair.refresh,
            usableUntil: usableUntil,
            rotated: rotated,
            subject: pair.subject,
            displayName: pair.displayName,
            account: pair.account
        )
        var kinds = [SessionEvent.Kind.tokensIssued(description)]
        if let readings = pair.access?.expiry.mismatch, !readings.isEmpty {
            kinds.append(.expiryMismatch(token: .access, readings: readings))
        }
        if let readings = pair.refresh?.expiry.mismatch, !readings.isEmpty {
            kinds.append(.expiryMismatch(token: .refresh, readings: readings))
        }
        return kinds
    }
}

extension RefreshFailure {
    /// What an answer without tokens means that says nothing of the refresh token.
    init(_ failure: ResponseFailure) {
        switch failure {
        case .transient(let status, let message, _):
            self.init(.unavailable(status: status, detail: message))
        case .clientFault(let status, let message):
            self.init(.notUnderstood(status: status, detail: message))
        case .undecodable(let status, let message):
            self.init(.unusableAnswer(status: status, detail: message))
        }
    }
}

extension RequestRecord {
    /// The log's record of an exchange that is over.
    init<Answer>(
        _ exchange: Exchange<Answer>,
        id: Int,
        purpose: Purpose,
        token: Fingerprint?,
        generation: Int,
        why: RequestCause,
        flight: Int?,
        retryOf: Int?,
        tokenIssuedAt: Instant?
    ) {
        let result: Result =
            switch exchange.outcome {
            case .answered: .answered(status: exchange.wire.status ?? 0)
            case .notSent(let cause): .notSent(cause)
            case .unanswered(let detail): .unanswered(detail: detail)
            }
        self.init(
            id: id,
            purpose: purpose,
            method: exchange.wire.method,
            target: exchange.wire.target,
            result: result,
            seconds: exchange.endedAt.now.seconds(since: exchange.sentAt.now),
            timing: exchange.wire.timing,
            generation: generation,
            fingerprint: token,
            why: why,
            retryOf: retryOf,
            flight: flight,
            claimsSandbox: exchange.wire.claimsSandbox,
            tokenAge: tokenIssuedAt.map { exchange.sentAt.now.seconds(since: $0) },
            evidence: exchange.wire.evidence
        )
    }
}
