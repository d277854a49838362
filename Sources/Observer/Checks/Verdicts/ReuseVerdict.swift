/// A backend's treatment of a refresh token that was exchanged before.
package enum ReuseVerdict: String, Sendable, Hashable, CaseIterable, Codable {
    /// A refresh leaves the refresh token as it is, so that none is ever exchanged.
    case fixed = "static"
    /// A refresh brings new ones, and all of them stay valid.
    case reusable
    /// A refresh spends the refresh token and brings no other.
    case singleUse = "single-use"
    case strict
    case strictRevoke = "strict-revoke"
    /// For a time it yields the same successor again.
    case grace
    /// For a time it yields an access token alone.
    case graceAccessOnly = "grace-access-only"
    /// For a time each use yields a successor of its own, and the last one alone is valid.
    case graceLatest = "grace-latest"
    /// For a time each use yields a successor of its own, and all of them are valid.
    case graceForks = "grace-forks"
    /// It is accepted until one of its successors is used.
    case untilUsed = "old-lives"
    /// It is accepted until an access token that it brought is used, whatever happens to the
    /// refresh tokens that it brought.
    case untilAccessUsed = "old-lives-until-access"

    /// The nearest policy of the sandbox, as `--reuse` has it.
    package var sandboxPolicy: String {
        switch self {
        case .fixed, .reusable: "none"
        case .singleUse, .strict: "strict"
        case .strictRevoke: "strict-revoke"
        case .grace, .graceAccessOnly, .graceLatest: "grace"
        case .graceForks: "grace-forks"
        case .untilUsed, .untilAccessUsed: "old-lives"
        }
    }

    /// Whether the sandbox does exactly this with that policy.
    package var isSandboxPolicy: Bool {
        switch self {
        case .fixed, .reusable, .singleUse, .strict, .strictRevoke, .grace, .graceForks,
            .untilUsed:
            true
        case .graceAccessOnly, .graceLatest, .untilAccessUsed: false
        }
    }

    /// Whether a use of a successor ends a replaced token.
    var endsByUse: Bool { self == .untilUsed || self == .untilAccessUsed }

    var hasWindow: Bool {
        switch self {
        case .grace, .graceAccessOnly, .graceLatest, .graceForks: true
        case .fixed, .reusable, .singleUse, .strict, .strictRevoke, .untilUsed, .untilAccessUsed:
            false
        }
    }
}

/// The time for which a replaced refresh token is accepted, in seconds: at least `low`, and less
/// than `high` if that is known.
package struct ReuseWindow: Sendable, Hashable, Codable {
    package let low: Double
    package let high: Double?

    /// The roundest number of seconds within the bounds, as an administrator would have set it, or
    /// `nil` if nothing was refused.
    package var likely: Double? {
        guard let high else { return nil }
        for unit in [60.0, 30, 10, 5, 1] {
            let seconds = (low / unit).rounded(.up) * unit
            if seconds < high, seconds > 0 { return seconds }
        }
        return low
    }

    /// Returns whether the window may be this long.
    func admits(_ seconds: Double) -> Bool {
        seconds >= low && high.map { seconds < $0 } ?? true
    }
}

/// The event that ends the window of a replaced refresh token.
package enum WindowEnd: Sendable, Hashable {
    /// Its age; it was accepted this often before.
    case time(uses: Int)
    /// It is accepted this often at most.
    case uses(Int)
    /// It was refused after it had been accepted again, which its age or the count may explain.
    case undecided
}

extension WindowEnd {
    /// - Parameters:
    ///   - accepted: The replays that were accepted.
    ///   - refused: Those that were refused.
    ///   - window: Their bounds in time.
    init?(accepted: [Replay], refused: [Replay], _ window: ReuseWindow) {
        let repeated = refused.filter { $0.earlierUses > 0 }
        if let uses = repeated.filter({ $0.age.upperBound <= window.low }).map(\.earlierUses).min()
        {
            self = .uses(uses)
        } else if let high = window.high, repeated.count < refused.count,
            repeated.allSatisfy({ $0.age.upperBound >= high })
        {
            self = .time(uses: (accepted.map(\.earlierUses).max() ?? 0) + 1)
        } else if !repeated.isEmpty {
            self = .undecided
        } else {
            return nil
        }
    }
}

extension ReuseWindow {
    /// The bounds that replays prove: of those that were refused, the first of their token counts,
    /// since a later one may have been one too many.
    init(accepted: [Replay], refused: [Replay]) {
        let low = accepted.map(\.age.lowerBound).max() ?? 0
        let first = refused.filter { $0.earlierUses == 0 }
        let later = refused.filter { $0.earlierUses > 0 && $0.age.upperBound > low }
        self.init(low: low, high: (first.isEmpty ? later : first).map(\.age.upperBound).min())
    }
}
