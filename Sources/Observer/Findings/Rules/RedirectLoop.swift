import Basics
import Model
import Profiles

extension FindingRule {
    static let redirectLoop = FindingRule(
        "redirect-loop",
        .bug,
        summary: "A page is redirected round after round, though each round brings a new session.",
        remedy: """
            Find out why the page does not take the session: a cookie that does not come back (SameSite \
            after a redirection from another site, Path, Domain, Secure, its size), keys or clocks that \
            differ between servers, a store that they do not share.
            """,
        references: [
            "clerk/javascript#1418", "clerk/javascript#7335", "clerk-community/elysia-clerk#103",
        ],
        watch: { RedirectLoopWatch() }
    )
}

/// Watches for pages that are asked for again by the redirections that they begin.
private struct RedirectLoopWatch: FindingWatch {
    private struct Page: Hashable, Sendable {
        let client: ObservedClient
        let origin: String
        let target: String
    }

    /// The times that a page may be redirected: to a login, back from it, and once more for a second one.
    private static let limit = 4
    /// The longest time between two of them, in seconds.
    private static let longestRound = 10.0
    /// The exchanges in which a round is looked for.
    private static let depth = 128
    /// The redirections of one round.
    private static let hopLimit = 12

    /// The redirected requests for each page.
    private var pages = RecentMap<Page, [Int]>(limit: 128)
    /// The pages that were told, of which one stands for its loop.
    private var told = RecentMap<ObservedClient, (page: Page, at: Instant)>(limit: 128)

    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard let exchange = fact.over(in: traffic), exchange.request.method == "GET",
            exchange.answer?.isRedirect == true
        else { return [] }
        let page = Page(
            client: exchange.client,
            origin: exchange.request.origin,
            target: exchange.request.target
        )
        var numbers = pages[page] ?? []
        if let last = numbers.last.flatMap({ traffic.exchange($0) }),
            exchange.startedAt.now.seconds(since: last.startedAt.now) > Self.longestRound
        {
            numbers = []
        }
        numbers.append(exchange.number)
        pages[page] = Array(numbers.suffix(ObservedFinding.evidenceLimit))
        guard numbers.count >= Self.limit, let first = traffic.exchange(numbers[0]) else {
            return []
        }
        let between = traffic.newestFirst.prefix(Self.depth).filter {
            $0.client == exchange.client && $0.number > first.number
                && $0.number < exchange.number
        }
        // A page that was shown ends the loop.
        let isShown = between.contains {
            $0.answer?.isSuccess == true && $0.answer?.isPage == true
        }
        guard !isShown else {
            pages[page] = [exchange.number]
            return []
        }
        let sessions = between.filter { !Self.cookies(of: $0).isEmpty }
        guard sessions.count >= Self.limit - 1, let newest = sessions.first else { return [] }
        let isWhole = zip(numbers, numbers.dropFirst()).allSatisfy { before, after in
            leads(from: before, to: after, traffic)
        }
        let seconds = exchange.startedAt.now.seconds(since: first.startedAt.now)
        // Where a part of each round is not seen, a browser that opens a page so often at least follows it.
        guard
            isWhole
                || exchange.request.page == .document
                    && seconds <= Self.longestRound * Double(Self.limit - 1) / 2
        else { return [] }
        // The other pages of a loop are redirected as often.
        let now = exchange.startedAt.now
        if let other = told[exchange.client], other.page != page,
            now.seconds(since: other.at) <= Self.longestRound
        {
            return []
        }
        told[exchange.client] = (page, now)
        var draft = FindingDraft(
            exchange,
            confidence: isWhole ? .certain : .likely,
            evidence: numbers.map { FindingEvidence(.exchange($0), "redirected") },
            message: "\(exchange.request.endpoint) is redirected \(numbers.count) times in "
                + "\(seconds.durationUp), each time back to itself in the end, though with a new "
                + "session: "
                + Self.fate(of: newest, in: exchange)
        )
        draft.occurrence = first.number
        draft.family = nil
        return [draft]
    }

    /// Whether the redirections of a request lead to another one.
    private func leads(from before: Int, to after: Int, _ traffic: ObservedTraffic) -> Bool {
        var number = after
        for _ in 0..<Self.hopLimit {
            guard let source = traffic.exchange(number).flatMap({ traffic.redirection(before: $0) })
            else { return false }
            if source.number == before { return true }
            number = source.number
        }
        return false
    }

    /// The cookies with tokens that an answer sets.
    private static func cookies(of exchange: ObservedExchange) -> [TokenOccurrence] {
        (exchange.answer?.issued ?? []).filter { $0.place == .cookie && $0.role != .unknown }
    }

    /// The use that the page's request makes of the newest session.
    private static func fate(
        of session: ObservedExchange,
        in exchange: ObservedExchange
    ) -> String {
        let cookies = cookies(of: session)
        let names = cookies.map(\.name).joined(separator: ", ")
        let presented = exchange.request.occurrences.filter { $0.place == .cookie }
        if presented.contains(where: { sent in
            cookies.contains { $0.fingerprint == sent.fingerprint }
        }) {
            return "\(names) of #\(session.number) comes back, and is not accepted"
        }
        return "\(names) of #\(session.number) does not come back"
    }
}
