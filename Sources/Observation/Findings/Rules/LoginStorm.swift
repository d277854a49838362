import Lifecycle
import Timekeeping

extension FindingRule {
    static let loginStorm = FindingRule(
        "login-storm",
        .risk,
        summary: "A client logs the same user in again and again.",
        remedy: "Keep the session of a login, and renew it by its refresh token.",
        references: ["nightscout/nocturne#391"],
        watch: { LoginStormWatch() }
    )
}

private struct LoginStormWatch: FindingWatch {
    private struct User: Hashable, Sendable {
        let client: ObservedClient
        let subject: String?
    }

    private static let limit = 3
    private static let window = 60.0

    private var logins = RecentMap<User, [Int]>(limit: 256)

    mutating func note(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.purpose == .login,
            exchange.outcome == .issued,
            exchange.request.hasCredentials || exchange.confidence == .exact,
            let family = traffic.family(of: exchange)
        else { return [] }
        let user = User(client: exchange.client, subject: family.subject)
        let numbers = (logins[user] ?? []).filter { number in
            guard let other = traffic.exchange(number) else { return false }
            return exchange.startedAt.now.seconds(since: other.startedAt.now) <= Self.window
                // After a logout another login is in order.
                && traffic.family(of: other)?.end != .logout
        }
        let row = numbers + [exchange.number]
        logins[user] = row
        guard row.count >= Self.limit else { return [] }
        var draft = FindingDraft(
            exchange,
            evidence: row.suffix(ObservedFinding.evidenceLimit).map {
                FindingEvidence(.exchange($0), "login")
            },
            message: "\(row.count) logins of one client within a minute"
        )
        draft.family = nil
        draft.occurrence = row.first ?? exchange.number
        return [draft]
    }
}
