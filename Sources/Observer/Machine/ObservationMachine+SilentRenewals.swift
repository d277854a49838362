import Basics
import Model
import Profiles

/// Authorization requests that renew a session without asking the user.
extension ObservationMachine {
    /// The longest time between an authorization request and the use of its code, in seconds (RFC 6749
    /// section 4.1.2 recommends ten minutes; an app that asks silently waits for it).
    private static let codeTime = 60.0
    /// The newest exchanges among which the request for a code is looked for.
    private static let codeDepth = 256

    /// Returns the session that tokens belong to which an app has asked for without the user, or `nil`
    /// if they may be those of another one.
    func silentlyRenewed(by exchange: ObservedExchange, _ facts: AnswerFacts) -> Int? {
        guard isSilent(exchange) else { return nil }
        let subject = Self.subject(in: facts)
        let fitting = traffic.graph.families.values.filter { family in
            guard family.end == nil, family.clients.contains(exchange.client),
                let newest = family.newestGeneration, newest.kind != .joined,
                let source = traffic.exchange(newest.exchange), source.outcome == .issued,
                source.request.origin == exchange.request.origin,
                source.request.endpoint == exchange.request.endpoint
            else { return false }
            let known = source.answer.flatMap(Self.subject)
            guard subject == nil || known == nil || subject == known else { return false }
            // A token for something else is asked for in the same way.
            let tokens = facts.issued.filter { $0.role == .access || $0.role == .session }
            return tokens.allSatisfy { $0.token.isForSame(as: newest.access) }
        }
        return fitting.count == 1 ? fitting.first?.id : nil
    }

    /// Whether the tokens of an exchange were asked for without the user.
    private func isSilent(_ exchange: ObservedExchange) -> Bool {
        if let authorization = exchange.request.authorization { return authorization == .silent }
        guard exchange.request.discriminator == "authorization_code" else { return false }
        let asked = traffic.newest(Self.codeDepth) { other in
            other.number < exchange.number && other.request.authorization != nil
                && other.client == exchange.client && other.answer?.isRedirect == true
        }
        guard let asked, asked.request.authorization == .silent, asked.answer?.errorCode == nil,
            let answered = asked.endedAt?.now
        else { return false }
        return exchange.startedAt.now.seconds(since: answered) <= Self.codeTime
    }

    /// The user that the tokens of an answer name.
    private static func subject(in facts: AnswerFacts) -> JSONValue? {
        facts.issued.lazy.compactMap { $0.token.claims["sub"] }.first
    }
}
