import Basics
import Model

extension FindingRule {
    static let lostAnswer = FindingRule(
        "lost-answer",
        .bug,
        summary: "The answer to a refresh did not reach the app.",
        remedy: """
            Let a refresh run to its end, also when the screen that asked for it is gone, and give it \
            more time than other requests. After a loss ask again at once with the same refresh token; \
            on the server keep a window of grace in which the spent token is answered once more.
            """,
        references: [
            "advplyr/audiobookshelf#5281", "get-engram/engram#389", "TomBursch/kitchenowl#610",
            "doorkeeper-gem/doorkeeper#486", "ory/hydra#1831", "bluesky-social/atproto#5411",
        ],
        watch: { LostAnswerWatch() }
    )
}

private struct LostAnswerWatch: FindingWatch {
    private struct Loss: Sendable {
        let number: Int
        let at: Instant
        /// Whether the client has sent something since.
        var isActive = false

        var deadline: Instant { at.advanced(bySeconds: LostAnswerWatch.timeout) }
    }

    /// The time that an app has to ask again, in seconds.
    static let timeout = 60.0
    /// The number of exchanges that are looked through for another attempt.
    private static let depth = 256

    private var losses = RecentMap<Fingerprint, Loss>(limit: 64)

    var nextDeadline: Instant? { losses.all.map(\.value.deadline).min() }

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        switch fact {
        case .started(let number):
            if let exchange = traffic.exchange(number) { recordActivity(of: exchange, traffic) }
            return []
        case .over(let number):
            guard let exchange = traffic.exchange(number) else { return [] }
            let drafts = settle(by: exchange, traffic)
            lose(exchange)
            return drafts + settleByEarlier(than: exchange, traffic)
        case .delivered(let number):
            if let exchange = traffic.exchange(number) { lose(exchange) }
            return []
        case .time: return giveUp(traffic, at: moment)
        case .socketMessage, .socketClosed: return []
        }
    }

    private mutating func lose(_ exchange: ObservedExchange) {
        guard exchange.purpose == .refresh, let refresh = exchange.refresh, exchange.isAnswerLost,
            exchange.outcome == .issued || exchange.outcome == .unanswered,
            let at = exchange.lostAt?.now, losses[refresh] == nil
        else { return }
        losses[refresh] = Loss(number: exchange.number, at: at)
    }

    /// The backend may have answered a second attempt before the one that the app had given up.
    private mutating func settleByEarlier(
        than exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        guard let refresh = exchange.refresh, losses[refresh]?.number == exchange.number else {
            return []
        }
        let again = traffic.newestFirst.prefix(Self.depth).first { other in
            other.number > exchange.number && other.purpose == .refresh
                && other.refresh == refresh && other.isOver
        }
        return again.map { settle(by: $0, traffic) } ?? []
    }

    /// A client that uses tokens of the lost answer has read it; and a client that logs out needs
    /// nothing.
    private mutating func recordActivity(
        of exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) {
        for (refresh, loss) in losses.all {
            guard let lost = traffic.exchange(loss.number), lost.client == exchange.client,
                exchange.startedAt.now > loss.at
            else { continue }
            let hasRead =
                exchange.family == lost.family && exchange.purpose != .refresh
                && (exchange.generation ?? 0) > (lost.refreshGeneration ?? 0)
            if hasRead || lost.isDelivered || exchange.purpose == .logout {
                losses[refresh] = nil
            } else if exchange.purpose != .refresh {
                losses[refresh]?.isActive = true
            }
        }
    }

    private mutating func settle(
        by exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> [FindingDraft] {
        if exchange.purpose == .login, exchange.outcome == .issued {
            return losses.all.compactMap { refresh, loss in
                guard let lost = traffic.exchange(loss.number), lost.client == exchange.client,
                    exchange.startedAt.now > loss.at
                else { return nil }
                losses[refresh] = nil
                return notRepeated(lost, then: exchange)
            }
        }
        guard exchange.purpose == .refresh, let refresh = exchange.refresh,
            let loss = losses[refresh], loss.number != exchange.number,
            let lost = traffic.exchange(loss.number)
        else { return [] }
        let evidence = [
            lost.evidence(Self.role(of: lost)),
            exchange.evidence("the same token again, \(exchange.result)"),
        ]
        switch exchange.outcome {
        case .issued:
            losses[refresh] = nil
            // A refresh beside it has brought the tokens.
            guard exchange.startedAt.now >= loss.at else { return [] }
            return [
                FindingDraft(
                    lost,
                    variant: "recovered",
                    severity: .note,
                    evidence: evidence,
                    message: "\(Self.loss(of: lost)), and the same token was "
                        + "accepted again in #\(exchange.number)"
                )
            ]
        case .refreshRefused:
            losses[refresh] = nil
            guard exchange.startedAt.now >= loss.at else { return [] }
            return [
                FindingDraft(
                    lost,
                    variant: "rotation-lost",
                    evidence: evidence,
                    message: "\(Self.loss(of: lost)), and the backend refuses the "
                        + "same token in #\(exchange.number): the session is lost with it"
                )
            ]
        default: return []
        }
    }

    private mutating func giveUp(
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        losses.all.compactMap { refresh, loss in
            guard loss.deadline <= moment.now else { return nil }
            losses[refresh] = nil
            guard loss.isActive, let lost = traffic.exchange(loss.number) else { return nil }
            return notRepeated(lost, then: nil)
        }
    }

    private func notRepeated(
        _ lost: ObservedExchange,
        then login: ObservedExchange?
    ) -> FindingDraft {
        let after = login.map { "logs in (#\($0.number))" } ?? "goes on for a minute"
        return FindingDraft(
            lost,
            variant: "not-repeated",
            evidence: [lost.evidence(Self.role(of: lost))]
                + [login?.evidence("login instead of another try")].compactMap(\.self),
            message: "\(Self.loss(of: lost)), and the app \(after) without asking "
                + "again with the same token"
        )
    }

    private static func role(of lost: ObservedExchange) -> String {
        lost.isGivenUp
            ? "refresh whose answer the app did not wait for"
            : "refresh whose answer did not reach the app"
    }

    private static func loss(of lost: ObservedExchange) -> String {
        guard lost.isGivenUp, let lostAt = lost.lostAt else {
            return "the answer to #\(lost.number) was lost"
        }
        let waited = lostAt.now.seconds(since: lost.startedAt.now).duration
        let text = "the app gave up #\(lost.number) after \(waited)"
        guard lost.status != nil, let end = lost.endedAt?.now else {
            return text + ", and its answer was lost"
        }
        return text + ", \(end.seconds(since: lostAt.now).duration) before its answer came, which "
            + "was lost"
    }
}
