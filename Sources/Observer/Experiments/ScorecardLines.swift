import Basics
import Model

/// The lines of each experiment's scorecard.
extension ExperimentView {
    var lines: [Line] { experiment.checks.compactMap(line) + [showsNoBug] }

    /// Returns the line of a check, or `nil` if the traffic gives no occasion for one.
    private func line(_ check: Scorecard.Check) -> Line? {
        switch check {
        case .renewsOnce: renewsOnce
        case .repeats: comeAgain(.repeats, injected.filter { !$0.purpose.isSocket })
        case .keepsSession: keepsSession
        case .dialsWithNewer: comeAgain(.dialsWithNewer, injected.filter(\.purpose.isSocket))
        case .asksAgain: asksAgain
        case .asksRarely: asksRarely
        case .endsOnlyIfRefused: endsOnlyIfRefused
        case .waitsForRefresh: waitsForRefresh
        case .sendsNothingExpired: sendsNothingExpired
        case .stopsRefreshing: stopsRefreshing
        case .stopsSending: stopsSending
        case .closesSockets: closesSockets
        case .waitsAsTold: waitsAsTold
        case .backsOff: backsOff
        case .recovers: recovers
        // A silent socket has to be noticed first.
        case .dialsAgain: dialsAgain(within: experiment.checks.contains(.noticesSilence) ? 90 : 30)
        case .dialsWithNewest: dialsWithNewest
        case .noticesSilence: noticesSilence
        case .renewsBeforeEnd: renewsBeforeEnd
        case .isNotRefused: isNotRefused
        case .keepsOldToken: keepsOldToken
        case .renewsNoSooner: renewsNoSooner
        case .showsNoBug, .refusesExpired, .refusesCorrupted, .refusesReplaced, .survivesTwo,
            .answersAgain, .bringsFeedBack:
            nil
        }
    }

    // MARK: - Refused access tokens

    /// One refresh within five seconds; a second one only if the first one has failed.
    private var renewsOnce: Line {
        let all = refreshes
        for (index, second) in all.enumerated() {
            let first = all[..<index].first { first in
                guard first.refresh == second.refresh else { return false }
                // A later one with the same token may be due, if it is never replaced.
                return first.isPending(at: second.startedAt.now)
                    || first.outcome == .issued && first.isDelivered
                        && !traffic.isAfter(second, first.deliveredAt?.now)
            }
            if let first {
                return Line(.renewsOnce, .failed, exchanges: [first.number, second.number])
            }
        }
        let prompt = all.first { $0.startedAt.now.seconds(since: firstAt) <= 5 }
        return must(.renewsOnce, prompt.map { [$0] }, within: 5)
    }

    /// Each of the refused requests comes again with a newer token.
    private func comeAgain(_ check: Scorecard.Check, _ refused: [ObservedExchange]) -> Line? {
        guard !refused.isEmpty else { return nil }
        var proof: [ObservedExchange] = []
        for request in refused {
            let again = uses.first { other in
                let isSame =
                    other.purpose.isSocket
                    ? other.request.template == request.request.template
                    : other.request.isRepeat(of: request.request)
                return isSame && (other.generation ?? 0) > (request.generation ?? 0)
            }
            guard let again else { return must(check, nil, within: 30) }
            proof.append(again)
        }
        return must(check, proof, within: 30)
    }

    /// Neither a login nor a logout; one without a refresh token can only log in.
    private var keepsSession: Line {
        let canRenew = families.contains { id in
            traffic.graph.families[id]?.generations.contains { $0.refresh != nil } ?? false
        }
        guard canRenew else { return Line(.keepsSession, isOver ? .notReached : .open) }
        return never(.keepsSession, endings, isReached: isActive)
    }

    // MARK: - Refreshes that go wrong

    private var tries: [ObservedExchange] {
        let tokens = Set(injected.compactMap(\.refresh))
        return refreshes.filter { $0.refresh.map(tokens.contains) ?? false }
    }

    private var asksAgain: Line {
        must(.asksAgain, tries.dropFirst().first.map { [$0] }, within: 60)
    }

    private var asksRarely: Line {
        let more = tries.count > 5 ? Array(tries.dropFirst(5)) : []
        return never(.asksRarely, more, isReached: tries.count > 1)
    }

    private var endsOnlyIfRefused: Line {
        let refusedAt = refreshes.first {
            if case .refreshRefused = $0.outcome { true } else { false }
        }?.endedAt?.now
        let tooSoon = endings.filter { ending in
            refusedAt.map { ending.startedAt.now < $0 } ?? true
        }
        return never(.endsOnlyIfRefused, tooSoon, isReached: isActive)
    }

    private var waitsForRefresh: Line {
        let others = refreshes.filter { other in
            injected.contains {
                $0.number != other.number && $0.refresh == other.refresh
                    && $0.isPending(at: other.startedAt.now)
            }
        }
        return never(.waitsForRefresh, others, isReached: injected[0].isDelivered)
    }

    private var sendsNothingExpired: Line {
        let expired = uses.filter { request in
            guard let end = traffic.accessDeadline(of: request)?.statedEnd else { return false }
            return request.startedAt.now.seconds(since: end) > 2
        }
        return never(.sendsNothingExpired, expired, isReached: isActive)
    }

    /// The first refused refresh whose answer has arrived.
    private var refused: ObservedExchange? { injected.first(where: \.isDelivered) }

    /// When the access token in use ends after a refusal, as far as that is known; it may be used up.
    private func end(after refused: ObservedExchange) -> Instant? {
        traffic.family(of: refused)?.newestGeneration?.pair.accessExpiry?.statedEnd
    }

    /// Ten seconds from the refusal, in which what was begun may end.
    private func grace(after refused: ObservedExchange) -> Instant {
        (refused.deliveredAt?.now ?? firstAt).advanced(bySeconds: 10)
    }

    private var stopsRefreshing: Line {
        guard let refused else { return Line(.stopsRefreshing, isOver ? .notReached : .open) }
        let again = refreshes.filter {
            $0.number != refused.number && traffic.isAfter($0, refused.deliveredAt?.now)
        }
        return never(
            .stopsRefreshing,
            again,
            isReached: now > grace(after: refused) || isOver
        )
    }

    private var stopsSending: Line? {
        guard let refused else { return nil }
        let last = grace(after: refused)
        let limit = end(after: refused).map { max(last, $0.advanced(bySeconds: 2)) } ?? last
        let late = uses.filter { $0.startedAt.now > limit }
        return never(.stopsSending, late, isReached: now > last || isOver)
    }

    private var closesSockets: Line? {
        guard let refused else { return nil }
        let sockets = traffic.exchanges.filter {
            isOfFamilies($0) && $0.openedAt != nil && ($0.closedAt?.now ?? now) >= firstAt
        }
        guard !sockets.isEmpty else { return nil }
        let open = sockets.filter { $0.closedAt == nil }
        guard !open.isEmpty else {
            return Line(.closesSockets, .passed, exchanges: sockets.map(\.number))
        }
        let hasEnded = end(after: refused).map { now > $0.advanced(bySeconds: 2) } ?? true
        return isDue && hasEnded
            ? Line(.closesSockets, .failed, exchanges: open.map(\.number))
            : Line(.closesSockets, isOver ? .notReached : .open)
    }

    private var backsOff: Line {
        let all = tries
        for index in all.indices.dropFirst(2) {
            let row = [all[index - 2], all[index - 1], all[index]]
            let gaps = zip(row, row.dropFirst()).map { before, after in
                after.startedAt.now.seconds(since: (before.deliveredAt ?? before.startedAt).now)
            }
            // Shortly before a token ends, waits are short, too.
            if gaps.allSatisfy({ $0 < 0.1 }) {
                return Line(.backsOff, .failed, exchanges: row.map(\.number))
            }
        }
        return never(.backsOff, [], isReached: all.count > 1)
    }

    private var waitsAsTold: Line {
        let tooSoon = refreshes.filter { request in
            injected.contains { limited in
                guard limited.number != request.number, let at = limited.deliveredAt?.now,
                    let seconds = limited.answer?.retryAfter
                else { return false }
                return traffic.isAfter(request, at)
                    && request.startedAt.now.seconds(since: at) < seconds - 0.5
            }
        }
        return never(.waitsAsTold, tooSoon, isReached: tries.count > 1)
    }

    private var recovers: Line {
        let issued = refreshes.first { $0.outcome == .issued && $0.experiment == nil }
        return must(.recovers, issued.map { [$0] }, within: 120)
    }

    private var keepsOldToken: Line {
        let changed = injected[injected.count - 1]
        let next = own.first {
            $0.number > changed.number && ($0.purpose == .refresh || endings.hasExchange($0.number))
        }
        guard let next else { return Line(.keepsOldToken, isOver ? .notReached : .open) }
        let isKept = next.purpose == .refresh && next.refresh == changed.refresh
        return Line(.keepsOldToken, isKept ? .passed : .failed, exchanges: [next.number])
    }

    // MARK: - Sockets

    /// The first dial to each of the sockets' paths since they were closed or fell silent.
    private var redials: [ObservedExchange]? {
        var dials: [ObservedExchange] = []
        for socket in injected {
            let dial = own.first {
                $0.purpose.isSocket && $0.number != socket.number
                    && $0.request.template == socket.request.template
            }
            guard let dial else { return nil }
            if !dials.contains(where: { $0.number == dial.number }) { dials.append(dial) }
        }
        return dials
    }

    private func dialsAgain(within seconds: Double) -> Line {
        must(.dialsAgain, redials, within: seconds)
    }

    private var dialsWithNewest: Line {
        let dials = redials ?? []
        let old = dials.filter { traffic.newerGeneration(than: $0) != nil }
        return never(.dialsWithNewest, old, isReached: !dials.isEmpty)
    }

    private var noticesSilence: Line {
        let closed = injected.filter { $0.closedAt != nil }
        return must(
            .noticesSilence,
            closed.count == injected.count ? closed : nil,
            within: 60
        )
    }

    // MARK: - Lifetimes and clocks

    /// The pairs whose lives were shortened.
    private var short: [TokenGeneration] {
        families.flatMap { id in
            (traffic.graph.families[id]?.generations ?? []).filter { generation in
                injected.contains { $0.number == generation.exchange }
            }
        }
    }

    private var renewsBeforeEnd: Line {
        let short = short
        let renewed = refreshes(of: short)
        let late = renewed.filter { request in
            // One refresh token may have obtained several pairs.
            let pair = short.last {
                $0.refresh == request.refresh && $0.exchange < request.number
            }
            guard let end = pair?.pair.accessExpiry?.statedEnd else { return false }
            return request.startedAt.now > end
        }
        return never(.renewsBeforeEnd, late, isReached: hasLived(renewed))
    }

    private var isNotRefused: Line {
        let short = short
        let refused = uses.filter { request in
            request.outcome == .tokenRefused
                && short.contains { $0.access?.fingerprint == request.access?.fingerprint }
        }
        return never(.isNotRefused, refused, isReached: hasLived(refreshes(of: short)))
    }

    private func refreshes(of pairs: [TokenGeneration]) -> [ObservedExchange] {
        refreshes.filter { request in
            pairs.contains { $0.refresh != nil && $0.refresh == request.refresh }
        }
    }

    /// Whether a pair was renewed, or has had five lifetimes for it.
    private func hasLived(_ renewed: [ObservedExchange]) -> Bool {
        !renewed.isEmpty
            || now.seconds(since: firstAt) >= 5 * (experiment.value(.seconds) ?? .infinity)
    }

    private var renewsNoSooner: Line {
        let early = refreshes.filter { request in
            guard case .beforeEnd(let left) = request.cause,
                let lifetime = traffic.family(of: request)?.generations.last(where: {
                    $0.refresh == request.refresh
                })?.pair.accessExpiry?.lifetime
            else { return false }
            return left > 0.8 * lifetime.inSeconds
        }
        return never(.renewsNoSooner, early.count > 2 ? early : [], isReached: isActive)
    }
}

extension [ObservedExchange] {
    fileprivate func hasExchange(_ number: Int) -> Bool { contains { $0.number == number } }
}
