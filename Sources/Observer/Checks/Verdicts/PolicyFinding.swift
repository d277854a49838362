/// Which reuse policy a backend follows, by the evidence alone.
package struct PolicyFinding: Sendable, Hashable {
    package enum Name: Sendable, Hashable {
        case named(ReuseVerdict)
        /// The evidence does not tell these apart.
        case possible([ReuseVerdict])
        case inconclusive(Obstacle)
    }

    package enum Obstacle: String, Sendable, Hashable, Codable {
        /// The backend issues no refresh token.
        case noRefreshToken
        /// A refresh token is refused at its first use.
        case refreshRefused
        /// None of the probes that show it was asked for.
        case notAsked
        /// A needed exchange was not answered.
        case unanswered
        /// Two exchanges contradict each other.
        case contradictory
    }

    package let name: Name
    /// The time for which a replaced token is accepted; `nil` if the policy has no window.
    package let window: ReuseWindow?
    /// The event that ends the window, or `nil` if there is none, or its end was not seen.
    package var windowEnd: WindowEnd?
    /// Whether access tokens die as well when a replay ends the session, or `nil` if it does not,
    /// or that was not seen.
    package let endsAccess: Bool?
    /// Whether a replay after the window ends the session, or `nil` if that was not seen.
    package let endsAfterWindow: Bool?
    /// The numbers of the exchanges that prove it.
    package let evidence: [Int]

    /// The age up to which a refusal says that there is no window, in seconds.
    static let immediate = 1.5

    package var verdict: ReuseVerdict? {
        if case .named(let verdict) = name { verdict } else { nil }
    }

    /// Whether a probe was asked for that shows it.
    package var isAskedFor: Bool { name != .inconclusive(.notAsked) }

    /// Whether a use of a successor ends a replaced token, so that there is no time to measure.
    var endsByUse: Bool {
        switch name {
        case .named(let verdict): verdict.endsByUse
        case .possible(let verdicts): verdicts.allSatisfy(\.endsByUse)
        case .inconclusive: false
        }
    }
}

extension PolicyFinding {
    init(_ record: CheckRecord) {
        guard record.hasRefresh else {
            self.init(.inconclusive(.noRefreshToken))
            return
        }
        guard record.canRefresh else {
            self.init(.inconclusive(.refreshRefused))
            return
        }
        let probeSessions = record.comparableSessions
        let replays = probeSessions.flatMap(\.replays)
        let clean = replays.filter(\.isClean)
        let rotations = Set(probeSessions.compactMap(\.firstRotation))
        guard rotations.count <= 1 else {
            self.init(.inconclusive(.contradictory), evidence: clean.map(\.exchange))
            return
        }
        guard let rotation = rotations.first, !clean.isEmpty else {
            guard !record.makesTokensOfTime else {
                self.init(.inconclusive(.contradictory))
                return
            }
            let isAsked = !ProbeName.policyProbes.isDisjoint(with: record.options.probes)
            self.init(.inconclusive(isAsked ? .unanswered : .notAsked))
            return
        }
        let accepted = clean.filter(\.isAccepted)
        let refused = clean.filter { !$0.isAccepted }
        guard rotation == .new else {
            self.init(
                notRotated: accepted,
                refused,
                isSilent: rotation == .absent,
                record.options
            )
            return
        }
        let window = ReuseWindow(accepted: accepted, refused: refused)
        let end = WindowEnd(accepted: accepted, refused: refused, window)
        var isContradictory = window.high.map { window.low >= $0 } ?? false
        if case .uses(let uses)? = end {
            isContradictory = isContradictory || accepted.contains { $0.earlierUses >= uses }
        }
        guard !isContradictory else {
            self.init(.inconclusive(.contradictory), evidence: clean.map(\.exchange))
            return
        }
        if accepted.isEmpty {
            self.init(refused: refused, window, probeSessions)
        } else {
            self.init(accepted: accepted, refused, window, replays, probeSessions, record.options)
            windowEnd = self.window == nil ? nil : end
        }
    }

    private init(_ name: Name, evidence: [Int] = []) {
        self.init(
            name: name,
            window: nil,
            endsAccess: nil,
            endsAfterWindow: nil,
            evidence: evidence.sorted()
        )
    }

    /// A refresh returns the same refresh token, or none: then only time shows that it lives on.
    private init(
        notRotated accepted: [Replay],
        _ refused: [Replay],
        isSilent: Bool,
        _ options: CheckOptions
    ) {
        let window = ReuseWindow(accepted: accepted, refused: refused)
        let isWatched = window.low >= options.maxWait - 1
        let hasWindow = isSilent && window.high.map { $0 > window.low } ?? false
        let name: Name =
            switch (accepted.isEmpty, refused.isEmpty) {
            case (false, true):
                isSilent && !isWatched
                    ? .possible([.fixed, .singleUse]) : .named(.fixed)
            case (true, false): .named(.singleUse)
            case (false, false) where hasWindow: .named(.singleUse)
            default: .inconclusive(.contradictory)
            }
        self.init(
            name: name,
            window: accepted.isEmpty || !hasWindow ? nil : window,
            endsAccess: nil,
            endsAfterWindow: nil,
            evidence: (accepted + refused).map(\.exchange).sorted()
        )
        if self.window != nil {
            windowEnd = WindowEnd(accepted: accepted, refused: refused, window)
        }
    }

    /// A replay is refused at once.
    private init(refused: [Replay], _ window: ReuseWindow, _ probeSessions: [ProbeSession]) {
        let after = probeSessions.flatMap(\.statesAfterReplay)
        let dead = after.filter { !$0.refreshLives }
        let isImmediate = window.high.map { $0 <= Self.immediate } ?? false
        let name: Name
        switch (isImmediate, dead.isEmpty) {
        case (_, false) where probeSessions.contains(where: \.recovers):
            name = .inconclusive(.contradictory)
        case (true, false): name = .named(.strictRevoke)
        case (true, true) where after.contains(where: \.isSettled): name = .named(.strict)
        case (true, true): name = .possible([.strict, .strictRevoke])
        case (false, _): name = .possible([.strict, .strictRevoke, .grace, .graceForks])
        }
        self.init(
            name: name,
            window: window,
            endsAccess: dead.isEmpty || probeSessions.contains(where: \.refreshedAccessIsRefused)
                ? nil : probeSessions.lazy.compactMap(\.accessAfterRefusal).first.map { !$0 },
            endsAfterWindow: nil,
            evidence: (refused.map(\.exchange) + after.map(\.exchange)).sorted()
        )
    }

    /// A replay is accepted for a time.
    private init(
        accepted: [Replay],
        _ refused: [Replay],
        _ window: ReuseWindow,
        _ replays: [Replay],
        _ probeSessions: [ProbeSession],
        _ options: CheckOptions
    ) {
        let kinds = Set(accepted.map(\.outcome))
        // The same age without a use of the successor proves that it is not the time that ends it.
        let endedByUse = replays.filter { replay in
            !replay.isClean && !replay.isAccepted && replay.earlierUses == 0
                && replay.age.upperBound <= window.low
        }
        let livesAfterUse = replays.filter { replay in
            replay.successorRefreshUsed && replay.isAccepted
        }
        let livesAfterAccess = replays.contains { $0.successorAccessUsed && $0.isAccepted }
        let superseded = probeSessions.compactMap(\.supersededLives)
        let name: Name
        switch kinds {
        case [.sameSuccessor]: name = .named(.grace)
        case [.accessOnly]: name = .named(.graceAccessOnly)
        case [.newSuccessor]:
            name = Self.forking(
                endedByUse: endedByUse,
                livesAfterUse: !livesAfterUse.isEmpty,
                livesAfterAccess: livesAfterAccess,
                supersededLives: superseded.map(\.lives),
                window,
                options
            )
        default: name = .inconclusive(.contradictory)
        }
        let after = probeSessions.flatMap(\.statesAfterReplay)
            .filter { state in refused.contains { $0.exchange == state.replay } }
        let hasWindow: Bool =
            switch name {
            case .named(let verdict): verdict.hasWindow
            case .possible: true
            case .inconclusive: false
            }
        let proof =
            (accepted + refused + endedByUse + livesAfterUse).map(\.exchange)
            + superseded.map(\.exchange) + after.map(\.exchange)
        self.init(
            name: name,
            window: hasWindow ? window : nil,
            endsAccess: nil,
            endsAfterWindow: !hasWindow || after.isEmpty
                ? nil : after.contains { !$0.refreshLives },
            evidence: Set(proof).sorted()
        )
    }

    /// Each use yields another successor.
    private static func forking(
        endedByUse: [Replay],
        livesAfterUse: Bool,
        livesAfterAccess: Bool,
        supersededLives: [Bool],
        _ window: ReuseWindow,
        _ options: CheckOptions
    ) -> Name {
        if !endedByUse.isEmpty {
            let endsByRefresh = endedByUse.contains(where: \.successorRefreshUsed)
            switch (endsByRefresh, livesAfterUse) {
            case (true, false): return .named(.untilUsed)
            case (false, true) where !livesAfterAccess: return .named(.untilAccessUsed)
            case (false, false): return .possible([.untilUsed, .untilAccessUsed])
            case (_, true): return .inconclusive(.contradictory)
            }
        }
        if Set(supersededLives).count > 1 { return .inconclusive(.contradictory) }
        if supersededLives.first == false { return .named(.graceLatest) }
        guard livesAfterUse, supersededLives.first == true else {
            return window.high == nil
                ? .possible([.graceForks, .reusable, .untilUsed, .untilAccessUsed])
                : .possible([.graceForks, .untilUsed])
        }
        if window.high != nil { return .named(.graceForks) }
        let isWatched = window.low >= options.maxWait - 1
        guard !isWatched || !livesAfterAccess else { return .named(.reusable) }
        return .possible(
            (isWatched ? [] : [.graceForks]) + [.reusable]
                + (livesAfterAccess ? [] : [.untilAccessUsed])
        )
    }
}

extension ProbeSession {
    /// The effect of the first refresh on the refresh token.
    var firstRotation: IssuedGeneration.Refresh? {
        exchanges.first { exchange in
            if case .refresh(_, 0) = exchange.action { exchange.issued != nil } else { false }
        }?.issued?.refresh
    }

    /// Whether a refresh within the second of the login brought the same refresh token, and a later
    /// one another: that of a JWT without a `jti`, or of a signed cookie.
    var showsTokensOfTime: Bool {
        let refreshes = exchanges.compactMap { exchange in
            if case .refresh(1, 0) = exchange.action { exchange.issued?.refresh } else { nil }
        }
        return refreshes.first == .unchanged && refreshes.contains(.new)
    }

    /// Whether an access token that a refresh has brought was refused without a replay before.
    fileprivate var refreshedAccessIsRefused: Bool {
        replays.isEmpty
            && exchanges.contains { $0.action == .use(2, family: 0) && $0.isRefusal }
    }

    /// Whether a replay was refused, and the newest refresh token was good all the time.
    fileprivate var recovers: Bool {
        let after = statesAfterReplay
        return !after.isEmpty && after.allSatisfy(\.refreshLives)
            && after.contains { $0.delay > 0.9 }
    }

    /// Whether the first successor is still good after a replay has brought another one.
    fileprivate var supersededLives: (exchange: Int, lives: Bool)? {
        guard let replay = replays.first, replay.isClean, replay.outcome == .newSuccessor
        else { return nil }
        let successor = replay.generation + 1
        // A refused replay may have ended the session.
        let refused = replays.first { !$0.isAccepted }?.exchange
        return exchanges.drop { $0.number != replay.exchange }.dropFirst()
            .prefix { $0.number != refused }.lazy
            .compactMap { exchange in
                guard case .refresh(successor, 0) = exchange.action else { return nil }
                guard exchange.isRefusal || exchange.issued != nil else { return nil }
                return (exchange.number, !exchange.isRefusal)
            }
            .first
    }
}
