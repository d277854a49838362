import Basics
import FoundationEssentials
import Model
import Profiles

/// A question that was sent to the server.
struct PendingQuestion: Sendable {
    let question: TokenQuestion
    let token: Secret
    let generation: Int
    /// When the pair of the token was asked for.
    let tokenIssuedAt: Instant
    let record: Int
}

/// Introspections: what the server says of the tokens in use. No answer changes the session.
extension ClientMachine {
    /// The seconds by which two statements of an end may differ without contradicting each other:
    /// `exp` and `Date` have whole seconds.
    private static let endTolerance = 3.0

    /// Asks everything that the profile can ask; does nothing without a session.
    mutating func introspect() {
        guard let pair = held else { return }
        for question in configuration.capabilities.questions ?? [] {
            let token =
                question == .refresh ? pair.tokens.refresh?.secret : pair.tokens.access.secret
            guard let token else { continue }
            let pending = PendingQuestion(
                question: question,
                token: token,
                generation: pair.generation,
                tokenIssuedAt: question == .refresh ? pair.refreshIssuedAt.now : pair.issuedAt.now,
                record: nextRecord()
            )
            effects.append(.ask(begin(.question(pending)), question, token))
        }
    }

    mutating func questionEnded(_ id: OperationID, _ exchange: CompletedExchange<StatementResponse>)
    {
        guard case .question(let pending)? = operations.end(id) else { return }
        let token = fingerprinter.fingerprint(of: pending.token)
        logExchange(
            exchange,
            id: pending.record,
            purpose: pending.question == .user ? .userinfo : .introspection,
            token: token,
            generation: pending.generation,
            why: .user,
            tokenIssuedAt: pending.tokenIssuedAt
        )
        let answer = IntrospectionResult.Answer(exchange)
        emit(
            IntrospectionResult(
                question: pending.question,
                token: token,
                answer: answer,
                differences: differences(answer, to: pending, in: exchange)
            )
        )
    }

    /// Compares an answer with what is believed now; a token that was replaced meanwhile is not
    /// compared.
    private func differences(
        _ answer: IntrospectionResult.Answer,
        to pending: PendingQuestion,
        in exchange: CompletedExchange<StatementResponse>
    ) -> [IntrospectionResult.Difference] {
        guard let pair = held,
            [pair.tokens.access.secret, pair.tokens.refresh?.secret].contains(pending.token)
        else { return [] }
        let deadline = pending.question == .refresh ? pair.refresh : pair.access
        let isBelievedLive = deadline.map { clock.now < $0.at } ?? true
        switch answer {
        case .refused where pending.question == .user: return isBelievedLive ? [.inactive] : []
        case .refused, .unusable, .notSent, .unanswered: return []
        case .stated(let statement):
            if statement.isActive == false {
                // Many servers answer so for each refresh token, since they state access tokens alone.
                return pending.question == .access && isBelievedLive ? [.inactive] : []
            }
            var differences: [IntrospectionResult.Difference] = []
            if let end = statement.expiresAt, let deadline {
                let left = end - serverTime(exchange)
                let believed = deadline.statedEnd.seconds(since: exchange.endedAt.now)
                let later = left - believed
                if abs(later) > Self.endTolerance { differences.append(.end(seconds: later)) }
            }
            if let subject = statement.subject, let believed = pair.subject, subject != believed {
                differences.append(.subject)
            }
            return differences
        }
    }

    /// The server's clock at the end of an exchange, in seconds since 1970.
    private func serverTime<Answer>(_ exchange: CompletedExchange<Answer>) -> Double {
        let wall = exchange.endedAt.wall.timeIntervalSince1970
        return wall + (server.offset?.likelyMiddle ?? 0)
    }
}

extension IntrospectionResult.Answer {
    init(_ exchange: CompletedExchange<StatementResponse>) {
        let status = exchange.status ?? 0
        switch exchange.outcome {
        case .notSent(let cause): self = .notSent(cause)
        case .unanswered(let detail): self = .unanswered(detail: detail)
        case .answered(.stated(let statement)): self = .stated(statement)
        case .answered(.refused): self = .refused(status: status)
        case .answered(.unusable): self = .unusable(status: status)
        }
    }
}
