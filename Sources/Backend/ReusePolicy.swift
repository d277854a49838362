import Basics
package import Profiles

/// The response to the use of a refresh token that was already exchanged.
package enum ReusePolicy: Sendable, Hashable {
    /// It is accepted: refresh tokens are never spent.
    case none
    /// It is rejected.
    case strict
    /// It is rejected, and its whole family is revoked (RFC 9700 section 4.14.2).
    case strictRevokeFamily
    /// For this many seconds it yields the same successor again, unless that one has been used;
    /// then as `strict`.
    case grace(seconds: Double)
    /// For this many seconds each use yields a successor of its own, and all of them are valid;
    /// then as `strict`.
    case graceForks(seconds: Double)
    /// It stays valid and yields a new successor each time, until one of these is used; then as
    /// `strict`.
    case oldLivesUntilNewUsed

    enum Verdict: Sendable, Equatable {
        /// Issue a new successor, and mark the token with this use.
        case exchange(RefreshUse)
        /// Return this successor once more, if it is still unused.
        case repeated(RefreshToken)
        case refuse(endsFamily: Bool)
    }

    /// Returns what to do with a token that has been used in this way.
    func verdict(on use: RefreshUse, at now: Double) -> Verdict {
        switch (use, self) {
        case (_, .none), (.unused, .oldLivesUntilNewUsed), (.superseded, .oldLivesUntilNewUsed):
            return .exchange(self == .none ? .unused : .superseded)
        case (.unused, _), (.superseded, _):
            return .exchange(.spent(at: now))
        case (.spent(let first, let successor?), .grace(let seconds)) where now - first <= seconds:
            return .repeated(successor)
        case (.spent(let first, _), .graceForks(let seconds)) where now - first <= seconds:
            return .exchange(use)
        case (.spent, .strictRevokeFamily):
            return .refuse(endsFamily: true)
        case (.spent, .strict), (.spent, .grace), (.spent, .graceForks),
            (.spent, .oldLivesUntilNewUsed):
            return .refuse(endsFamily: false)
        }
    }
}

/// The use of a refresh token so far.
enum RefreshUse: Sendable, Equatable {
    case unused
    /// Exchanged, and valid until its successor is used.
    case superseded
    /// Exchanged for the first time at this time, in seconds since 1970.
    case spent(at: Double, successor: RefreshToken? = nil)
}

extension ReusePolicy {
    /// Creates the policy that comes closest to a documented one; `strict` if there is none.
    package init(_ documented: DocumentedReuse) {
        switch (documented.outcome, documented.interval) {
        case (.accepted, _): self = .none
        case (.untilUsed, _): self = .oldLivesUntilNewUsed
        case (.forks, let seconds): self = .graceForks(seconds: seconds ?? Self.usualGrace)
        case (_, let seconds?): self = .grace(seconds: seconds)
        case (.endsSession, nil): self = .strictRevokeFamily
        case (.refused, nil), (nil, nil): self = .strict
        }
    }

    /// The names of the policies, as the user writes them.
    package static let names = [
        "none", "strict", "strict-revoke", "grace", "grace-forks", "old-lives",
    ]

    /// The default length of a grace window, in seconds.
    static let usualGrace = 30.0

    /// Parses `strict` or `grace:seconds=10`, for example.
    ///
    /// - Parameter text: One of `names`, optionally with the length of the grace window.
    /// - Throws: `ReusePolicyError`, which says what was expected.
    package init(parsing text: String) throws(ReusePolicyError) {
        let parts = text.parts(at: ":", limit: 2, keepsEmpty: true)
        let name = String(parts[0])
        let grace = try parts.dropFirst().first.map { word throws(ReusePolicyError) in
            try Self.seconds(String(word), of: name)
        }
        switch name {
        case "none": self = .none
        case "strict": self = .strict
        case "strict-revoke": self = .strictRevokeFamily
        case "grace": self = .grace(seconds: grace ?? Self.usualGrace)
        case "grace-forks": self = .graceForks(seconds: grace ?? Self.usualGrace)
        case "old-lives": self = .oldLivesUntilNewUsed
        default: throw .unknown(name)
        }
    }

    private static func seconds(
        _ word: String,
        of name: String
    ) throws(ReusePolicyError) -> Double {
        guard names.contains(name) else { throw .unknown(name) }
        guard name.begins(with: "grace"), word.begins(with: "seconds="),
            let seconds = Double(word.dropFirst(8)), (0...86_400).contains(seconds)
        else { throw .badSetting(word, policy: name) }
        return seconds
    }
}

/// The reason why a text is not a reuse policy.
package enum ReusePolicyError: Error, Sendable, Equatable {
    case unknown(String)
    case badSetting(String, policy: String)
}

extension ReusePolicyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknown(let name):
            let nearest = NearestKey.of(name, among: ReusePolicy.names)
            let hint = nearest.map { ": did you mean \($0)?" } ?? "."
            return
                "there is no reuse policy \"\(name.inOneLine(limit: 60))\"\(hint) There are "
                + ReusePolicy.names.joined(separator: ", ")
        case .badSetting(let word, let policy) where policy.begins(with: "grace"):
            return "\(policy): \"\(word.inOneLine(limit: 60))\": expected seconds=0 to 86400"
        case .badSetting(let word, let policy):
            return
                "\(policy): \"\(word.inOneLine(limit: 60))\" is not understood: it has no settings"
        }
    }
}
