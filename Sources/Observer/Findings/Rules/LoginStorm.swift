import Basics
import DequeModule
import Model

extension FindingRule {
    static let loginStorm = FindingRule(
        "login-storm",
        .risk,
        summary: "A client logs the same user in again and again.",
        remedy: """
            Keep what a login brings until it ends, and renew it by its refresh token, if it has one.
            """,
        references: ["nightscout/nocturne#391"],
        watch: { LoginStormWatch() }
    )
}

private struct LoginStormWatch: FindingWatch {
    private struct User: Hashable, Sendable {
        let client: ObservedClient
        let subject: String?
        /// What a client's own credentials were sent for: one client may need several tokens; or what
        /// a user who has no name here has sent.
        var request: String?
        /// The test, each of which may begin with a login.
        var mark: String?
    }

    private static let limit = 3
    /// The tokens of a client itself that are more than its parts may have, one each.
    private static let several = 10

    private var logins = RecentMap<User, RecentLogins>(limit: 256)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), let family = traffic.family(of: exchange)
        else {
            return []
        }
        if exchange.purpose == .logout, family.end == .logout,
            let user = logins.all.first(where: { $0.value.contains(family: family.id) })?.key
        {
            logins.change(user, default: RecentLogins()) { $0.leaveOut(family: family.id) }
            return []
        }
        guard exchange.purpose == .login, exchange.outcome == .issued,
            // A visit of a page with a code in its URL that brings a cookie is none.
            exchange.request.method != "GET" || exchange.request.discriminator != nil
                || exchange.confidence == .exact,
            exchange.request.hasCredentials || exchange.request.usesBasic
                || exchange.confidence == .exact
        else { return [] }
        let request = exchange.request
        let isOfClient = request.discriminator == "client_credentials"
        // An assertion (RFC 7523) is another one each time.
        let isAssertion = isOfClient && request.words["client_assertion_type"] != nil
        // What is asked for tells apart the tokens that one user's is exchanged for (RFC 8693).
        let isForAudience = !isOfClient && family.subject != nil && request.asksForAudience
        let what =
            isAssertion || isForAudience
            ? request.words.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.sorted())" }
                .joined(separator: " ")
            : request.bodyDigest?.description ?? ""
        let user = User(
            client: exchange.client,
            subject: family.subject,
            request: isOfClient || isForAudience || family.subject == nil
                ? "\(request.origin) \(request.endpoint) \(what)" : nil,
            mark: exchange.mark
        )
        let login = RecentLogins.Login(
            number: exchange.number,
            at: exchange.startedAt.now,
            family: family.id
        )
        return logins.change(user, default: RecentLogins()) { recent in
            // After the end of a token that cannot be renewed, another login is in order.
            for id in recent.families(last: isOfClient ? Self.several : 1)
            where !Self.isAlive(id, traffic, at: login.at) {
                recent.leaveOut(family: id)
            }
            recent.add(login)
            let isSeveral = isOfClient && !Self.isForEachCall(recent, traffic)
            guard recent.count >= (isSeveral ? Self.several : Self.limit),
                let first = recent.first
            else { return [] }
            let count = recent.isBounded ? "at least \(recent.count)" : "\(recent.count)"
            var draft = FindingDraft(
                exchange,
                evidence: recent.last(ObservedFinding.evidenceLimit).map {
                    FindingEvidence(.exchange($0), "login")
                },
                message: "\(count) logins of one client within a minute"
            )
            draft.family = nil
            draft.occurrence = first
            if let refusal = Self.refusal(of: recent, traffic) {
                draft.evidence.append(refusal.evidence("the token of a login, refused"))
                draft.message +=
                    ", and the token of each is refused"
                    + (refusal.answer?.serverWords.map { " (“\($0)”)" } ?? "")
                draft.remedy = Self.remedyOfRefusals
            }
            // Basic (RFC 7617) may name another user each time.
            if !request.hasCredentials && !isOfClient || isAssertion { draft.confidence = .likely }
            if isOfClient, draft.remedy == nil { draft.remedy = Self.remedyOfClient }
            if isOfClient, isSeveral { draft.confidence = .likely }
            return [draft]
        }
    }
}

extension LoginStormWatch {
    /// Whether each token is used before the next login, and not after it: several parts of a program may
    /// have one token each.
    private static func isForEachCall(
        _ recent: RecentLogins,
        _ traffic: ObservedTraffic
    ) -> Bool {
        let logins = recent.last(ObservedFinding.evidenceLimit).compactMap { traffic.exchange($0) }
        return zip(logins, logins.dropFirst()).allSatisfy { login, next in
            let uses = traffic.newestFirst.prefix(depth).filter {
                $0.family == login.family && $0.purpose == .protected
            }
            return !uses.isEmpty && uses.allSatisfy { $0.number < next.number }
        }
    }

    /// The newest refusal of a token of these logins, if each token that was used was refused each time.
    private static func refusal(
        of recent: RecentLogins,
        _ traffic: ObservedTraffic
    ) -> ObservedExchange? {
        let families = Set(
            recent.last(ObservedFinding.evidenceLimit).compactMap { traffic.exchange($0)?.family }
        )
        let uses = traffic.newestFirst.prefix(depth).filter {
            $0.purpose == .protected && $0.isOver && $0.family.map(families.contains) == true
        }
        guard Set(uses.compactMap(\.family)).count >= limit - 1,
            uses.allSatisfy({ $0.outcome == .tokenRefused })
        else { return nil }
        return uses.first
    }

    private static let remedyOfRefusals = """
        Another login does not help: see what the refusal is about, such as the audience, the issuer, the \
        key or the clock, and stop after one.
        """

    fileprivate static let remedyOfClient = """
        Keep the token until shortly before its end, for all calls of the service, and ask for \
        another one then.
        """

    /// The number of exchanges that are looked through for a refused refresh.
    private static let depth = 256
    /// The part of its life that a token needs to have left, for its session to be worth keeping.
    private static let leftOfLife = 0.2

    /// Whether a session could go on without another login.
    private static func isAlive(_ id: Int, _ traffic: ObservedTraffic, at now: Instant) -> Bool {
        guard let family = traffic.graph.families[id] else { return true }
        // After a refused refresh another login is in order, whatever that says of the refresh.
        let refusal =
            family.lastRefresh == nil
            ? nil
            : traffic.newest(depth) { other in
                if other.family == id, case .refreshRefused = other.outcome { true } else { false }
            }
        guard refusal == nil else { return false }
        guard family.liveRefreshToken == nil, let newest = family.newestGeneration,
            let deadline = newest.pair.accessExpiry, !deadline.expiry.isAssumed
        else { return true }
        let left = deadline.statedEnd.seconds(since: now)
        return left > deadline.statedLifetime * leftOfLife
    }
}

/// The logins of one user within the last minute, but for those that a logout followed: after it
/// another login is in order.
struct RecentLogins: Sendable {
    struct Login: Sendable {
        let number: Int
        let at: Instant
        let family: Int
    }

    static let limit = 4_096
    /// In seconds.
    private static let window = 60.0

    private var logins: Deque<Login> = []
    /// The number of them that each session has.
    private var families: [Int: Int] = [:]
    private var leftOut: Set<Int> = []
    private var leftOutCount = 0
    /// The newest login that made room for another one.
    private var droppedAt: Instant?

    var count: Int { logins.count - leftOutCount }

    /// Whether there may have been more than are counted.
    var isBounded: Bool { droppedAt != nil }

    /// The sessions of the last ones, the newest last.
    func families(last count: Int) -> [Int] { logins.suffix(count).map(\.family) }

    /// The number of the first one that counts.
    var first: Int? { logins.first?.number }

    /// Whether one of them began a session.
    func contains(family: Int) -> Bool { families[family] != nil }

    mutating func add(_ login: Login) {
        logins.append(login)
        families[login.family, default: 0] += 1
        if leftOut.contains(login.family) { leftOutCount += 1 }
        if let at = droppedAt, login.at.seconds(since: at) > Self.window { droppedAt = nil }
        while let first = logins.first {
            let isOld = login.at.seconds(since: first.at) > Self.window
            let isTooMuch = logins.count > Self.limit
            guard isOld || isTooMuch || leftOut.contains(first.family) else { return }
            if isTooMuch, !isOld, !leftOut.contains(first.family) { droppedAt = first.at }
            removeFirst()
        }
    }

    /// Counts the logins of a session no longer.
    mutating func leaveOut(family: Int) {
        guard let count = families[family], leftOut.insert(family).inserted else { return }
        leftOutCount += count
    }

    /// The numbers of the last ones that count, the newest last.
    func last(_ count: Int) -> [Int] {
        Array(logins.suffix(4 * count).filter { !leftOut.contains($0.family) }.suffix(count))
            .map(\.number)
    }

    private mutating func removeFirst() {
        let login = logins.removeFirst()
        let left = (families[login.family] ?? 1) - 1
        families[login.family] = left > 0 ? left : nil
        guard leftOut.contains(login.family) else { return }
        leftOutCount -= 1
        if left <= 0 { leftOut.remove(login.family) }
    }
}
