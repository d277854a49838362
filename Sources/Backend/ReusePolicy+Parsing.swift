import Dialects

extension ReusePolicy {
    /// The policies as a person writes them.
    package static let names = [
        "none", "strict", "strict-revoke", "grace", "grace-forks", "old-lives",
    ]

    /// How long a grace is unless told otherwise, in seconds.
    package static let usualGrace = 30.0

    /// Reads `strict`, or `grace:seconds=10`.
    ///
    /// - Parameter text: One of `names`; a grace may say how long it is.
    /// - Throws: `ReusePolicyError`, which says what was expected.
    package init(parsing text: String) throws(ReusePolicyError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
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
        guard name.hasPrefix("grace"), word.hasPrefix("seconds="),
            let seconds = Double(word.dropFirst(8)), (0...86_400).contains(seconds)
        else { throw .badSetting(word, policy: name) }
        return seconds
    }
}

/// Why what a person wrote is no reuse policy.
package enum ReusePolicyError: Error, Sendable, Equatable {
    case unknown(String)
    case badSetting(String, policy: String)
}

extension ReusePolicyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknown(let name):
            let nearest = NearestKey.of(name, among: ReusePolicy.names) ?? "strict"
            return
                "there is no reuse policy \"\(name.inOneLine(limit: 60))\": did you mean \(nearest)? "
                + "There are \(ReusePolicy.names.joined(separator: ", "))"
        case .badSetting(let word, let policy) where policy.hasPrefix("grace"):
            return "\(policy): \"\(word.inOneLine(limit: 60))\": expected seconds=0 to 86400"
        case .badSetting(let word, let policy):
            return
                "\(policy): \"\(word.inOneLine(limit: 60))\" is not understood: it has no settings"
        }
    }
}
