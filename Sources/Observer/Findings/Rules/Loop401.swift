import Basics
import Model

extension FindingRule {
    static let loop401 = FindingRule(
        "loop-401",
        .bug,
        summary: "Requests are repeated although their tokens are refused each time.",
        remedy: """
            Repeat a request once. A second 401 to a fresh token is not about the token: report \
            it, and do not renew again.
            """,
        references: [
            "open-metadata/OpenMetadata#33773", "OpenMeet-Team/openmeet-platform#414",
            "punkpeye/mcp-remote#338", "PianoNic/Snepilatch#309",
        ],
        watch: { Loop401Watch() }
    )
}

/// Watches for requests that go on after refusals.
///
/// They do so, too, while a renewal is in progress, or failed and waits for its next attempt: only
/// those without one are a loop. An app whose new token is refused as the one before does not renew
/// again, as it should, and one of several processes that share a session waits until the others
/// are done: what they send meanwhile may be their user's, and is a risk. A process learns of a
/// refusal by its own answers alone.
private struct Loop401Watch: FindingWatch {
    /// Refusals of one access token, each after an earlier refusal had reached the app.
    private struct Refusals: Sendable {
        var first: Instant
        var numbers: [Int]
        var endpoints: [String: Int]
        /// Whether the token before it was refused shortly before.
        let isSecondInARow: Bool
    }

    /// Refusals at one endpoint, each with a newer token than the one before.
    private struct Rounds: Sendable {
        var numbers: [Int]
        var generation: Int
    }

    private static let window = 10.0
    private static let refusalLimit = 5
    private static let sameLimit = 3
    private static let roundLimit = 3
    /// The life of a token that states none, in seconds.
    private static let usualLifetime = 60.0
    /// A token of whose life less than this is left may be renewed for that, as a fraction.
    private static let leftOfLife = 0.5

    private var refusals = RecentMap<Fingerprint, [ObservedClient: Refusals]>(limit: 256)
    private var rounds = RecentMap<ClientEndpoint, Rounds>(limit: 256)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        switch fact {
        case .started(let number):
            guard let exchange = traffic.exchange(number), exchange.purpose == .refresh,
                let family = traffic.family(of: exchange)
            else { return [] }
            // Also those of a token that an app goes on to send after many renewals.
            for generation in family.generations {
                if let access = generation.access { refusals[access.fingerprint] = nil }
            }
            return []
        case .over(let number):
            guard let exchange = traffic.exchange(number), exchange.purpose == .protected,
                let access = exchange.access?.fingerprint
            else { return [] }
            guard exchange.outcome == .tokenRefused else {
                if exchange.outcome == .accepted {
                    refusals[access] = nil
                    rounds[ClientEndpoint(exchange)] = nil
                }
                return []
            }
            return repeats(exchange, access, traffic) + renewals(exchange, traffic)
        case .delivered, .socketMessage, .socketClosed, .time: return []
        }
    }

    private mutating func repeats(
        _ exchange: ObservedExchange,
        _ access: Fingerprint,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        let startedAt = exchange.startedAt.now
        if let family = traffic.family(of: exchange),
            traffic.lastAttempt(toRenew: family, at: startedAt) == .pending
        {
            return []
        }
        let client = exchange.client
        var known = refusals[access]?[client]
        if known.map({ startedAt.seconds(since: $0.first) > Self.window }) ?? true {
            known = Refusals(
                first: startedAt,
                numbers: [],
                endpoints: [:],
                isSecondInARow: isSecondInARow(access, exchange, traffic)
            )
        }
        guard var known else { return [] }
        // A request in progress when the first refusal came does not repeat it.
        let firstDelivery = known.numbers.first.flatMap { traffic.exchange($0)?.deliveredAt?.now }
        guard known.numbers.isEmpty || traffic.isAfter(exchange, firstDelivery) else { return [] }
        known.numbers.append(exchange.number)
        known.endpoints[exchange.request.endpoint, default: 0] += 1
        refusals[access] = (refusals[access] ?? [:]).merging([client: known]) { $1 }
        guard known.numbers.count >= Self.refusalLimit,
            known.endpoints.values.contains(where: { $0 >= Self.sameLimit })
        else { return [] }
        let shown = known.numbers.suffix(ObservedFinding.evidenceLimit)
        let seconds = startedAt.seconds(since: known.first)
        let isShared = traffic.family(of: exchange).map { $0.clients.count > 1 } ?? false
        let doubt: String? =
            if known.isSecondInARow {
                ", which may not help: the one before was refused, too"
            } else if isShared {
                ", unless it waits for another process that has the session"
            } else {
                nil
            }
        var draft = FindingDraft(
            exchange,
            severity: doubt == nil ? .bug : .risk,
            evidence: shown.map { FindingEvidence(.exchange($0), "refused, same access token") },
            message: "\(known.numbers.count) requests in \(seconds.wholeUp) s with one "
                + "access token that is refused each time, and no refresh"
                + (doubt ?? "")
        )
        // One loop is one occurrence, however long it runs.
        draft.occurrence = known.numbers.first ?? exchange.number
        return [draft]
    }

    private func isSecondInARow(
        _ access: Fingerprint,
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Bool {
        if let known = refusals[access], known.values.contains(where: \.isSecondInARow) {
            return true
        }
        return traffic.isSecondInARow(exchange)
    }

    private mutating func renewals(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let generation = exchange.generation else { return [] }
        // A token that came to its end on the way is refused for that.
        if let deadline = traffic.accessDeadline(of: exchange), !deadline.expiry.isAssumed,
            let end = exchange.endedAt?.now, deadline.statedEnd <= end
        {
            return []
        }
        let place = ClientEndpoint(exchange)
        var known = rounds[place] ?? Rounds(numbers: [], generation: 0)
        let last = known.numbers.last.flatMap { traffic.exchange($0) }
        if let last, last.family == exchange.family {
            guard generation > known.generation else { return [] }
            if !isRenewal(exchange, because: last, traffic) || !isYoung(exchange, traffic) {
                known = Rounds(numbers: [], generation: 0)
            }
        } else {
            known = Rounds(numbers: [], generation: 0)
        }
        known.numbers.append(exchange.number)
        known.generation = generation
        rounds[place] = known
        guard known.numbers.count > Self.roundLimit else { return [] }
        var draft = FindingDraft(
            exchange,
            variant: "fresh-token",
            evidence: known.numbers.suffix(ObservedFinding.evidenceLimit).map {
                FindingEvidence(.exchange($0), "refused with a new access token")
            },
            message: "\(exchange.request.endpoint) is refused with each of \(known.numbers.count) "
                + "access tokens in a row, and the app renews again each time"
        )
        draft.occurrence = known.numbers.first ?? exchange.number
        return [draft]
    }

    /// Whether the refused access token was young by the measure of authtop's own client.
    ///
    /// An older one may have been revoked, and is worth a renewal.
    private func isYoung(_ exchange: ObservedExchange, _ traffic: ObservedTraffic) -> Bool {
        guard let number = exchange.generation, let end = exchange.endedAt?.now,
            let issued = traffic.family(of: exchange)?
                .generation(number, with: exchange.access?.fingerprint)
        else { return false }
        let lifetime = traffic.accessDeadline(of: exchange)?.statedLifetime ?? Self.usualLifetime
        return Breaker.isYoung(
            age: end.seconds(since: issued.pair.issuedAt.now),
            lifetime: lifetime
        )
    }

    /// Whether the client has got the access token of an exchange because an earlier one was refused.
    ///
    /// It asked for it soon after that, and long before the end of the token that was refused: one
    /// that waits before it renews once more is in no loop.
    private func isRenewal(
        _ exchange: ObservedExchange,
        because refused: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> Bool {
        let round = exchange.startedAt.now.seconds(since: refused.startedAt.now)
        guard round <= ObservedTraffic.longestRound, let family = traffic.family(of: exchange),
            let number = exchange.generation,
            let issued = family.generation(number, with: exchange.access?.fingerprint),
            let renewal = traffic.exchange(issued.exchange), renewal.client == exchange.client,
            let refusal = refused.deliveredAt, refusal.now <= renewal.startedAt.now,
            renewal.startedAt.now.seconds(since: refusal.now) <= Self.window
        else { return false }
        guard let deadline = traffic.accessDeadline(of: refused), !deadline.expiry.isAssumed else {
            return true
        }
        let left = deadline.statedEnd.seconds(since: renewal.startedAt.now)
        return left > deadline.statedLifetime * Self.leftOfLife
    }
}
