import Basics
import Model

/// The lines of each experiment's scorecard.
extension ExperimentView {
    var lines: [Line] { ownLines + [showsNoBug] }

    private var ownLines: [Line] {
        switch experiment {
        case .shortLife(let seconds): shortLife(Double(seconds))
        case .expire, .expireBurst: expire
        case .loseAnswer: loseAnswer
        case .slowRefresh: [waitsForRefresh, sendsNothingExpired]
        case .refuseRefresh: refuseRefresh
        case .blip: [backsOff, keepsSession, recovers]
        case .limit: [waitsAsTold, keepsSession, recovers]
        case .portal: [asksAgain, keepsSession]
        case .cut: [dialsAgain(within: 30), dialsWithNewest]
        case .mute: [noticesSilence, dialsAgain(within: 90)]
        case .noRefreshToken: [keepsOldToken]
        case .skew: [renewsNoSooner, sendsNothingExpired]
        }
    }

    // MARK: - Refused access tokens

    private var expire: [Line] {
        let requests = injected.filter { !$0.purpose.isSocket }
        let dials = injected.filter(\.purpose.isSocket)
        var lines = [renewsOnce]
        if !requests.isEmpty { lines.append(comeAgain(.repeats, requests)) }
        if !dials.isEmpty { lines.append(comeAgain(.dialsWithNewer, dials)) }
        return lines + [keepsSession]
    }

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
    private func comeAgain(_ check: Scorecard.Check, _ refused: [ObservedExchange]) -> Line {
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

    private var loseAnswer: [Line] {
        let more = tries.count > 5 ? Array(tries.dropFirst(5)) : []
        let refusedAt = refreshes.first {
            if case .refreshRefused = $0.outcome { true } else { false }
        }?.endedAt?.now
        let tooSoon = endings.filter { ending in
            refusedAt.map { ending.startedAt.now < $0 } ?? true
        }
        return [
            asksAgain,
            never(.asksRarely, more, isReached: tries.count > 1),
            never(.endsOnlyIfRefused, tooSoon, isReached: isActive),
        ]
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

    private var refuseRefresh: [Line] {
        guard let refused = injected.first(where: \.isDelivered) else {
            return [Line(.stopsRefreshing, isOver ? .notReached : .open)]
        }
        let again = refreshes.filter {
            $0.number != refused.number && traffic.isAfter($0, refused.deliveredAt?.now)
        }
        // The access token in use may be used up.
        let end = traffic.family(of: refused)?.newestGeneration?.accessDeadline?.statedEnd
        let last = (refused.deliveredAt?.now ?? firstAt).advanced(bySeconds: 10)
        let limit = end.map { max(last, $0.advanced(bySeconds: 2)) } ?? last
        let late = uses.filter { $0.startedAt.now > limit }
        let isReached = now > last || isOver
        var lines = [
            never(.stopsRefreshing, again, isReached: isReached),
            never(.stopsSending, late, isReached: isReached),
        ]
        let sockets = traffic.exchanges.filter {
            isOfFamilies($0) && $0.openedAt != nil && ($0.closedAt?.now ?? now) >= firstAt
        }
        if !sockets.isEmpty {
            let open = sockets.filter { $0.closedAt == nil }
            let hasEnded = end.map { now > $0.advanced(bySeconds: 2) } ?? true
            lines.append(
                open.isEmpty
                    ? Line(.closesSockets, .passed, exchanges: sockets.map(\.number))
                    : isDue && hasEnded
                        ? Line(.closesSockets, .failed, exchanges: open.map(\.number))
                        : Line(.closesSockets, isOver ? .notReached : .open)
            )
        }
        return lines
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

    private func shortLife(_ seconds: Double) -> [Line] {
        let short = families.flatMap { id in
            (traffic.graph.families[id]?.generations ?? []).filter { generation in
                injected.contains { $0.number == generation.exchange }
            }
        }
        let renewed = refreshes.filter { request in
            short.contains { $0.refresh != nil && $0.refresh == request.refresh }
        }
        let late = renewed.filter { request in
            // One refresh token may have bought several pairs.
            let pair = short.last {
                $0.refresh == request.refresh && $0.exchange < request.number
            }
            guard let end = pair?.accessDeadline?.statedEnd else { return false }
            return request.startedAt.now > end
        }
        let refused = uses.filter { request in
            request.outcome == .tokenRefused
                && short.contains { $0.access?.fingerprint == request.access?.fingerprint }
        }
        let lifetimes = now.seconds(since: firstAt) / seconds
        let isReached = !renewed.isEmpty || lifetimes >= 5
        return [
            never(.renewsBeforeEnd, late, isReached: isReached),
            never(.isNotRefused, refused, isReached: isReached),
        ]
    }

    private var renewsNoSooner: Line {
        let early = refreshes.filter { request in
            guard case .beforeEnd(let left) = request.cause,
                let lifetime = traffic.family(of: request)?.generations.last(where: {
                    $0.refresh == request.refresh
                })?.accessDeadline?.lifetime
            else { return false }
            return left > 0.8 * lifetime.inSeconds
        }
        return never(.renewsNoSooner, early.count > 2 ? early : [], isReached: isActive)
    }
}

extension [ObservedExchange] {
    fileprivate func hasExchange(_ number: Int) -> Bool { contains { $0.number == number } }
}
