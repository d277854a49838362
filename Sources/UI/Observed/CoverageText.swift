package import Model

/// What a run has seen of an app's traffic, in one line.
package enum CoverageText {
    package static func sentence(_ coverage: ObservedCoverage) -> String {
        let requests = CountFormatter.count(coverage.exchanges, "request")
        let origins = CountFormatter.count(coverage.origins, "origin")
        let seen = coverage.exchanges == 0 ? "no request" : "\(requests) to \(origins)"
        let parts = ["saw \(seen), \(sessions(coverage))"] + gaps(coverage)
        return parts.joined(separator: "; ")
    }

    /// Why nothing could be judged, where no session was recognized.
    ///
    /// - Parameters:
    ///   - coverage: What was seen.
    ///   - omissions: What could not be read, a sentence each.
    /// - Returns: The reason.
    package static func nothingJudged(
        _ coverage: ObservedCoverage,
        besides omissions: [String] = []
    ) -> String {
        let reason =
            if coverage.exchanges == 0 {
                (["no request was seen"] + omissions).joined(separator: "; ")
            } else if coverage.redacted > 0 {
                "a tool has put something like [redacted] in the place of tokens in "
                    + CountFormatter.count(coverage.redacted, "request")
            } else {
                "no token was recognized in " + CountFormatter.count(coverage.exchanges, "request")
                    + (coverage.missingBodies > 0
                        ? ", and bodies are missing: export the archive with contents, and keep files "
                            + "of bodies beside it" : "")
            }
        return "nothing could be judged: \(reason)"
    }

    /// Why nothing could be judged in a run of a session of authtop's own.
    package static let ownSession =
        "nothing could be judged: it is a recording of a session of authtop's own, and findings are "
        + "of an app: record it with authtop proxy --record"

    private static func sessions(_ coverage: ObservedCoverage) -> String {
        guard coverage.sessionCount > 0 else { return "no session" }
        let states = [
            ("alive", coverage.sessionCount - coverage.notAlive), ("ended", coverage.count(.ended)),
            ("expired", coverage.count(.expired)), ("refused", coverage.count(.refused)),
            ("forgotten", coverage.forgotten),
        ]
        .filter { $0.1 > 0 }
        let list =
            states.count == 1
            ? states[0].0
            : states.map { "\(CountFormatter.grouped($0.1)) \($0.0)" }.joined(separator: ", ")
        return [
            "\(CountFormatter.count(coverage.sessionCount, "session")) (\(list))",
            CountFormatter.count(coverage.accessTokens, "access token"),
            CountFormatter.count(coverage.refreshTokens, "refresh token"),
        ]
        .joined(separator: ", ")
    }

    private static func gaps(_ coverage: ObservedCoverage) -> [String] {
        func text(_ count: Int, _ noun: String, plural: String, _ rest: String) -> String? {
            guard count > 0 else { return nil }
            return "\(CountFormatter.count(count, noun, plural: plural)) \(rest)"
        }
        return [
            text(
                coverage.strayRefusals,
                "refusal (401, 403) belongs",
                plural: "refusals (401, 403) belong",
                "to no session"
            ),
            text(coverage.unreadBodies, "body", plural: "bodies", "in a coding that is not read"),
            text(
                coverage.missingBodies,
                "body is",
                plural: "bodies are",
                "missing in the archive"
            ),
            text(
                coverage.redacted,
                "request has",
                plural: "requests have",
                "something like [redacted] in the place of tokens"
            ),
        ]
        .compactMap(\.self)
    }
}

extension ObservedCoverage {
    fileprivate var notAlive: Int {
        count(.ended) + count(.expired) + count(.refused) + forgotten
    }
}
