/// One use of a refresh token that had been exchanged before.
package struct Replay: Sendable, Hashable {
    /// The result of such a use.
    package enum Outcome: Sendable, Hashable {
        case refused
        /// The refresh token that an earlier exchange had brought.
        case sameSuccessor
        /// An access token alone.
        case accessOnly
        /// A refresh token that no answer had brought before.
        case newSuccessor
    }

    let exchange: Int
    /// Which token: the generation that it came with.
    let generation: Int
    /// The time since the token was first exchanged, in seconds: at least and at most.
    let age: ClosedRange<Double>
    let outcome: Outcome
    /// The number of times that the token had been accepted again before.
    let earlierUses: Int
    /// Whether an access token of a later generation had been used before.
    let successorAccessUsed: Bool
    /// Whether a refresh token of a later generation had been used before.
    let successorRefreshUsed: Bool

    var isClean: Bool { !successorAccessUsed && !successorRefreshUsed }
    var isAccepted: Bool { outcome != .refused }
}

/// The state of the newest refresh token after an older one was refused.
struct StateAfterReplay: Sendable, Hashable {
    let replay: Int
    let exchange: Int
    /// The time after the replay, in seconds.
    let delay: Double
    let refreshLives: Bool

    /// Whether a revocation that takes a moment would have been seen.
    var isSettled: Bool { delay >= 0.9 }
}

extension ProbeSession {
    /// The replays of its first family, in their order; those of a race are not among them, since
    /// it is unknown which request came first.
    var replays: [Replay] {
        var uses: [Int: CheckExchange] = [:]
        var usesAgain: [Int: Int] = [:]
        var accessUsed = 0
        var refreshUsed = 0
        var found: [Replay] = []
        for exchange in exchanges {
            switch exchange.action {
            case .use(let generation, 0):
                if exchange.isSuccess {
                    accessUsed = max(accessUsed, generation ?? self.generation(before: exchange))
                }
            case .refresh(let chosen, 0), .refreshUnread(let chosen):
                let generation = chosen ?? self.generation(before: exchange)
                if let first = uses[generation] {
                    guard
                        let replay = replay(
                            exchange,
                            generation,
                            first,
                            earlierUses: usesAgain[generation, default: 0],
                            accessUsed,
                            refreshUsed
                        )
                    else { continue }
                    found.append(replay)
                    if replay.isAccepted { usesAgain[generation, default: 0] += 1 }
                } else if exchange.issued != nil {
                    uses[generation] = exchange
                    refreshUsed = max(refreshUsed, generation)
                }
            case .refreshTwice: return found
            case .reach, .login, .loginWrong, .warm, .refresh, .use, .refreshWith, .refreshFor,
                .refreshWithoutNonce,
                .useWith,
                .logout,
                .logoutUnknown,
                .dial, .dialWith, .dialExpired, .watch:
                break
            }
        }
        return found
    }

    private func replay(
        _ exchange: CheckExchange,
        _ generation: Int,
        _ first: CheckExchange,
        earlierUses: Int,
        _ accessUsed: Int,
        _ refreshUsed: Int
    ) -> Replay? {
        let outcome: Replay.Outcome
        switch exchange.outcome {
        case .refused: outcome = .refused
        case .accepted, .closed, .unclear: return nil
        case .issued(let issued):
            switch issued.refresh {
            case .absent: outcome = .accessOnly
            case .unchanged, .repeated: outcome = .sameSuccessor
            case .new: outcome = .newSuccessor
            }
        }
        let high = (exchange.refusedSince ?? exchange.endedAt) - first.sentAt
        let low = min(max(0, exchange.sentAt - first.endedAt), max(0, high))
        return Replay(
            exchange: exchange.number,
            generation: generation,
            age: low...max(low, high),
            outcome: outcome,
            earlierUses: earlierUses,
            successorAccessUsed: accessUsed > generation,
            successorRefreshUsed: refreshUsed > generation
        )
    }

    /// The newest generation of the first family before an exchange.
    private func generation(before exchange: CheckExchange) -> Int {
        exchanges.prefix { $0.number != exchange.number }
            .filter { $0.action.family == 0 }
            .compactMap { $0.issued?.number }.max() ?? 1
    }

    /// The uses of the newest refresh token after a refused replay.
    var statesAfterReplay: [StateAfterReplay] {
        guard let refused = replays.first(where: { !$0.isAccepted }),
            let replay = exchanges.first(where: { $0.number == refused.exchange })
        else { return [] }
        let newest = generation(before: replay)
        return exchanges.drop { $0.number != refused.exchange }.dropFirst()
            .compactMap { exchange in
                guard case .refresh(let chosen, 0) = exchange.action,
                    (chosen ?? newest) >= newest,
                    exchange.isRefusal || exchange.issued != nil
                else { return nil }
                return StateAfterReplay(
                    replay: refused.exchange,
                    exchange: exchange.number,
                    delay: exchange.sentAt - replay.endedAt,
                    refreshLives: !exchange.isRefusal
                )
            }
    }

    /// Whether the newest access token lived on after a refused replay, or `nil` if it was not
    /// tried.
    var accessAfterRefusal: Bool? {
        guard let refused = replays.first(where: { !$0.isAccepted }) else { return nil }
        let later = exchanges.drop { $0.number != refused.exchange }.dropFirst()
        return later.lazy
            .compactMap { exchange -> Bool? in
                guard case .use(_, 0) = exchange.action else { return nil }
                return exchange.isSuccess ? true : exchange.isRefusal ? false : nil
            }
            .first
    }
}
