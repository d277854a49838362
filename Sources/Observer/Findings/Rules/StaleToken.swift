import Basics
import Model
import Profiles

extension FindingRule {
    static let staleToken = FindingRule(
        "stale-token",
        .bug,
        summary: "An access token is sent after a newer one has been delivered.",
        remedy: """
            Take the token from the store when a request is sent, also when it is repeated or \
            comes out of a queue; do not build headers beforehand.
            """,
        references: [
            "jackmusick/bifrost#16", "openai/codex#2699", "microsoft/onefuzz#1017",
            "yegobox/flipper#586", "felangel/fresh#141",
        ],
        watch: { StaleTokenWatch() }
    )
}

private struct StaleTokenWatch: FindingWatch {
    private static let depth = 256
    /// The time since a request was refused that this one repeats, in seconds.
    private static let retryTime = 10.0

    func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft] {
        guard case .over(let number) = fact, let exchange = traffic.exchange(number),
            exchange.purpose == .protected
        else { return [] }
        if let draft = rolled(exchange, traffic) ?? ofEarlierSession(exchange, traffic) {
            return [draft]
        }
        guard let newer = traffic.storedGeneration(newerThan: exchange),
            let family = traffic.family(of: exchange), family.end == nil,
            let source = traffic.exchange(newer.exchange), exchange.outcome != .notSent
        else { return [] }
        // The tabs of a browser share its connections, and each has its own time.
        let isOnSameConnection =
            !exchange.isOfPage && newer.deliveries.contains { $0.isByConnection(of: exchange) }
        let original = traffic.newestFirst.prefix(Self.depth).first { other in
            guard other.number != number, other.outcome == .tokenRefused,
                other.request.isRepeat(of: exchange.request), let at = other.deliveredAt
            else { return false }
            return (0...Self.retryTime).contains(exchange.startedAt.now.seconds(since: at.now))
        }
        var evidence = [
            source.evidence("brought a newer access token"),
            exchange.evidence("request with the old one, \(exchange.result)"),
        ]
        if let original {
            evidence.insert(original.evidence("the same request, refused before"), at: 0)
        }
        let isRefused = exchange.outcome == .tokenRefused
        let whose = isOnSameConnection ? "" : " (or another tab or worker of it does)"
        return [
            FindingDraft(
                exchange,
                variant: original == nil ? nil : "stale-retry",
                severity: isRefused ? .bug : .note,
                confidence: isOnSameConnection ? .certain : .likely,
                evidence: evidence,
                message: "the client sends the access token of generation "
                    + "\(exchange.generation ?? 0) in #\(number) after #\(source.number) has "
                    + "brought generation \(newer.number)\(whose): \(exchange.result)"
            )
        ]
    }

    /// A token that each answer replaces, sent after it was replaced, and refused.
    ///
    /// The backend accepts several in a row for a moment, for requests at once.
    private func rolled(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> FindingDraft? {
        guard exchange.outcome == .tokenRefused, let access = exchange.access,
            traffic.isRolled(access.fingerprint), let family = traffic.family(of: exchange),
            family.end == nil
        else { return nil }
        func successor(in other: ObservedExchange) -> TokenOccurrence? {
            other.answer?.issued.first {
                $0.place == access.place && $0.name.isEqualIgnoringCase(access.name)
                    && other.answer?.hidden?.contains($0.fingerprint) != true
            }
        }
        // The last one that the client was sent.
        let source = traffic.newestFirst.prefix(Self.depth).filter { other in
            other.family == family.id && other.client == exchange.client
                && traffic.isAfter(exchange, other.deliveredAt?.now) && successor(in: other) != nil
        }
        .max { ($0.deliveredAt?.now ?? .origin) < ($1.deliveredAt?.now ?? .origin) }
        let own = traffic.newestFirst.prefix(Self.depth).first {
            successor(in: $0)?.fingerprint == access.fingerprint
        }
        guard let source, let newer = successor(in: source)?.fingerprint,
            newer != access.fingerprint, let sourceAt = source.deliveredAt?.now,
            own?.deliveredAt.map({ $0.now < sourceAt }) ?? true
        else { return nil }
        return FindingDraft(
            exchange,
            variant: "replaced",
            confidence: .likely,
            evidence: [
                source.evidence("brought a newer token, as each answer does"),
                exchange.evidence("request with an older one, \(exchange.result)"),
            ],
            message:
                "the client sends in #\(exchange.number) a token that the answers of its session "
                + "have replaced, the last of them #\(source.number): \(exchange.result)"
        )
    }

    /// The login that has replaced a session: that of its cookie, or the next one of the same user whose
    /// access token goes into a header.
    private func laterLogin(
        than family: TokenFamily,
        of exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> ObservedExchange? {
        if exchange.access?.place == .cookie {
            return family.end == .replaced ? family.endedIn.flatMap { traffic.exchange($0) } : nil
        }
        guard family.end == nil || family.end == .replaced, let subject = family.subject else {
            return nil
        }
        let later = traffic.graph.families.values.filter {
            $0.id > family.id && $0.origin == family.origin && $0.subject == subject && !$0.isJoined
        }
        .max { $0.id < $1.id }
        return later?.generations.first.flatMap { traffic.exchange($0.exchange) }
            .flatMap { $0.purpose == .login ? $0 : nil }
    }

    /// The token of a session that a login has replaced, sent after that, and refused.
    private func ofEarlierSession(
        _ exchange: ObservedExchange,
        _ traffic: ObservedTraffic
    ) -> FindingDraft? {
        guard exchange.outcome == .tokenRefused, let access = exchange.access,
            let family = traffic.family(of: exchange),
            let login = laterLogin(than: family, of: exchange, traffic),
            login.client == exchange.client, traffic.isAfter(exchange, login.deliveredAt?.now),
            let newer = login.answer?.issued.first(where: {
                access.place == .cookie ? $0.name == access.name : $0.role == .access
            })
        else { return nil }
        let kind = access.place == .cookie ? "cookie" : "token"
        // A client that has stored it sends it before long.
        let isUsed = traffic.newestFirst.prefix(Self.depth).contains { other in
            other.access?.fingerprint == newer.fingerprint && other.client == exchange.client
        }
        guard !isUsed else { return nil }
        return FindingDraft(
            exchange,
            variant: "before-login",
            // Another tab may have logged in, which this one learns by the refusal.
            severity: exchange.isOfPage ? .risk : .bug,
            confidence: .likely,
            evidence: [
                login.evidence("login, which brought another \(kind)"),
                exchange.evidence("request with the previous one, \(exchange.result)"),
            ],
            message:
                "#\(exchange.number) sends the \(kind) that the session had before the login in "
                + "#\(login.number), which brought another one: \(exchange.result)"
        )
    }
}
