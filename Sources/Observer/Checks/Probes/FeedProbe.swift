import Profiles

/// Opens the feed, and looks at the socket after a refresh, a logout and the end of its token; then
/// opens it with tokens that are not valid.
struct FeedProbe: Probe {
    let name = ProbeName.feed

    /// The time that is left once the other probes are over, in seconds.
    static let ending = FeedOccasion.opening.seconds + FeedOccasion.logout.seconds
    /// Seconds around the end of a token in which its end may be what closes a socket.
    fileprivate static let margin = 1.0

    func cost(_ options: CheckOptions) -> ProbeCost {
        let waits =
            FeedOccasion.opening.seconds + FeedOccasion.invalidToken.seconds
            + max(Self.longest(options), FeedOccasion.refresh.seconds)
            + FeedOccasion.expiry.seconds
        return ProbeCost(logins: 1, refreshes: 3, requests: 10, seconds: waits)
    }

    /// The longest life of an access token whose end is waited for, in seconds.
    private static func longest(_ options: CheckOptions) -> Double { max(options.maxWait - 35, 0) }

    func skip(_ record: CheckRecord, _ options: CheckOptions) -> SkipReason? {
        record.features.hasFeed ? nil : .notInProfile
    }

    func script(of probeSession: ProbeSession, _ record: CheckRecord) -> [Step] {
        var steps: [Step] = [.login, .dial(1)]
        guard let dial = probeSession[1] else { return steps }
        if dial.isSuccess {
            steps.append(.watch(1, .opening))
            guard probeSession[2] != nil else { return steps }
        }
        let isUsable = probeSession[2]?.isSuccess ?? false
        if isUsable, record.canRefresh { steps += [.refresh(1), .watch(1, .refresh)] }
        guard add(.dial(with: .malformed), to: &steps, probeSession) else { return steps }
        guard isUsable, let lifetime = probeSession[0]?.facts.accessLifetime,
            lifetime <= Self.longest(record.options)
        else { return steps + (isUsable ? ending(steps, probeSession, record) : []) }
        if probeSession.isOpenUntilExpiry {
            steps.append(.watch(1, .expiry).after(lifetime, from: 0))
            guard probeSession[steps.count - 1] != nil else { return steps }
        }
        let expired = Step.dial(expired: 1).after(lifetime + Self.margin, from: 0)
        guard add(expired, to: &steps, probeSession) else { return steps }
        // Only a refresh brings another token for the rest.
        guard record.canRefresh else { return steps }
        steps.append(.refresh())
        return steps + ending(steps, probeSession, record)
    }

    /// Adds an upgrade with a token that is not valid, and the watch over its socket if it opens
    /// one.
    ///
    /// - Returns: Whether both are over.
    private func add(_ dial: Step, to steps: inout [Step], _ probeSession: ProbeSession) -> Bool {
        let place = steps.count
        steps.append(dial)
        guard let answer = probeSession[place] else { return false }
        guard answer.isSuccess else { return true }
        steps.append(.watch(place, .invalidToken))
        return probeSession[place + 1] != nil
    }

    /// The last steps, with a socket of the newest token; a logout may end other sessions as well.
    private func ending(_ steps: [Step], _ probeSession: ProbeSession, _ record: CheckRecord)
        -> [Step]
    {
        let hasLogout = record.features.logoutScopes.contains(.this)
        var dial = steps.count
        var last: [Step] = [hasLogout ? Step.dial().afterOthers() : .dial()]
        guard var answer = probeSession[dial] else { return last }
        // By the time the others are over, its token may have ended.
        let isOver = probeSession.tokenEnds(ofDial: dial, within: Self.ending, of: answer)
        if isOver, record.canRefresh {
            last += [.refresh(), .dial()]
            dial += 2
            guard let again = probeSession[dial] else { return last }
            answer = again
        }
        guard answer.isSuccess else { return last }
        last.append(.watch(dial, .opening))
        guard hasLogout, let opened = probeSession[dial + 1], opened.isSuccess else { return last }
        last.append(.logout(.this))
        guard probeSession[dial + 2]?.isSuccess ?? false else { return last }
        return last + [.watch(dial, .logout)]
    }

    func verdicts(from probeSessions: [ProbeSession], _ record: CheckRecord) -> [Verdict] {
        guard let probeSession = probeSessions.first, probeSession.isComplete else { return [] }
        var verdicts: [Verdict] = []
        for (place, results) in probeSession.results.enumerated() {
            guard let exchange = results.first else { continue }
            switch exchange.action {
            case .dial:
                if exchange.isRefusal, !probeSession.tokenEnds(ofDial: place, of: exchange) {
                    verdicts.append(.feedOpening(.refused(status: exchange.status)))
                }
            case .dialExpired: verdicts += Self.refusal(.expired, exchange)
            case .dialWith: verdicts += Self.refusal(.malformed, exchange)
            case .watch(let step, let occasion):
                let code: Int? =
                    if case .closed(let code) = exchange.outcome { code } else { nil }
                // An end together with the token says nothing about the other events at that time.
                if occasion != .expiry, probeSession.isExplainedByEnd(exchange, ofDial: step) {
                    continue
                }
                switch occasion {
                case .invalidToken:
                    let token: InvalidFeedToken =
                        if case .dialWith = probeSession[step]?.action { .malformed } else {
                            .expired
                        }
                    verdicts.append(
                        .feedRefusal(token, code.map { .closed(code: $0) } ?? .accepted)
                    )
                case .opening:
                    verdicts.append(.feedOpening(code.map { .closed(code: $0) } ?? .accepted))
                case .refresh, .expiry, .logout:
                    verdicts.append(.feedAfter(occasion, closedWith: code))
                }
            case .reach, .login, .loginWrong, .warm, .refresh, .refreshTwice, .refreshUnread,
                .refreshWith, .refreshFor, .refreshWithoutNonce, .use,
                .useWith, .logout, .logoutUnknown:
                break
            }
        }
        return verdicts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The answer to an upgrade with an invalid token, unless it has opened a socket.
    private static func refusal(_ token: InvalidFeedToken, _ exchange: CheckExchange) -> [Verdict] {
        exchange.isSuccess ? [] : [.feedRefusal(token, .refused(status: exchange.status))]
    }
}

extension ProbeSession {
    /// Whether the first socket was open until the end of its token, or nearly so.
    fileprivate var isOpenUntilExpiry: Bool {
        let refresh = exchanges.first { exchange in
            if case .watch(_, .refresh) = exchange.action { true } else { false }
        }
        guard let refresh else { return true }
        return refresh.isSuccess || isExplainedByEnd(refresh, ofDial: 1)
    }

    /// Whether the end of the token that a step has dialed with may be why a socket was closed, or why
    /// it was opened as it was.
    fileprivate func isExplainedByEnd(_ watch: CheckExchange, ofDial step: Int) -> Bool {
        guard let dial = self[step] else { return false }
        if case .closed = watch.outcome { return tokenEnds(ofDial: step, of: watch) }
        return tokenEnds(ofDial: step, of: dial)
    }

    /// Whether the token that a step has dialed with ends, as stated, by the end of an exchange, or
    /// this many seconds after it.
    fileprivate func tokenEnds(
        ofDial step: Int,
        within seconds: Double = 0,
        of exchange: CheckExchange
    ) -> Bool {
        guard let dial = self[step], case .dial(let chosen) = dial.action else { return false }
        let issued = results.prefix(step).flatMap(\.self).filter { $0.issued != nil }
        let source = issued.last { chosen == nil || $0.issued?.number == chosen }
        guard let source, let lifetime = source.facts.accessLifetime else { return false }
        let end = source.sentAt + lifetime - FeedProbe.margin
        return exchange.endedAt + seconds >= end
    }
}
