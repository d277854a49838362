/// What a run has seen of an app's traffic, so that "no findings" can be told from "nothing to judge".
package struct ObservedCoverage: Sendable, Hashable, Codable {
    /// The requests that were read.
    package var exchanges = 0
    /// The origins to which they went.
    package var origins = 0
    /// The numbers of sessions that were recognized, by their status at the end.
    package var sessions: [String: Int] = [:]
    package var accessTokens = 0
    package var refreshTokens = 0
    /// The answers 401 and 403 to requests of no session, besides logins.
    package var strayRefusals = 0
    /// The bodies of answers whose coding cannot be read.
    package var unreadBodies = 0
    /// The bodies that an archive lacks.
    package var missingBodies = 0
    /// The exchanges of an archive in which a tool has replaced tokens.
    package var redacted = 0

    package init() {}

    /// The number of sessions.
    package var sessionCount: Int { sessions.values.reduce(0, +) }

    /// Returns the number of sessions with a status at the end.
    package func count(_ status: ObservedStatus.Code) -> Int { sessions[status.rawValue] ?? 0 }

    /// The number of those that made room for others, and had not ended then.
    package var forgotten: Int { sessions[Self.forgottenKey] ?? 0 }

    private static let forgottenKey = "forgotten"

    package mutating func addForgotten(_ count: Int) {
        if count > 0 { sessions[Self.forgottenKey, default: 0] += count }
    }

    package mutating func add(_ status: ObservedStatus.Code, count: Int = 1) {
        guard count > 0 else { return }
        sessions[status.rawValue, default: 0] += count
    }
}

extension ObservedCoverage: ObservedEvent {
    package static let name = "coverage"
    package static let summary =
        "What was seen of an app's traffic, at the end of a run. Without a session, nothing could be "
        + "judged."
    package static let fields: [EventField<ObservedCoverage>] = [
        .integer("exchanges", "The requests that were read.") { $0.exchanges },
        .integer("origins", "The origins to which they went.") { $0.origins },
        .integer("sessions", "The sessions that were recognized.") { $0.sessionCount },
        .integer("ended", "Those of them that have ended.") { $0.count(.ended) },
        .integer("expired", "Those whose access token has ended.") { $0.count(.expired) },
        .integer("refused", "Those whose access token is refused.") { $0.count(.refused) },
        .integer("forgotten", "Those that made room for others, and had not ended then.") {
            $0.forgotten
        },
        .integer("accessTokens", "The access tokens that were recognized.") { $0.accessTokens },
        .integer("refreshTokens", "The refresh tokens that were recognized.") { $0.refreshTokens },
        .integer("strayRefusals", "The answers 401 and 403 to requests of no session.") {
            $0.strayRefusals
        },
        .integer("unreadBodies", "The bodies whose coding cannot be read.") { $0.unreadBodies },
        .integer("missingBodies", "The bodies that an archive lacks.") { $0.missingBodies },
        .integer("redacted", "The exchanges in which a tool has replaced tokens.") { $0.redacted },
    ]

    package var kept: (any EventKind)? { nil }
    package var level: EventLevel { .debug }
}
