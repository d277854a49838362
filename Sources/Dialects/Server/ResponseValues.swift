import FoundationEssentials
import Tokens

/// The values of the gaps in one answer.
struct ResponseValues: Sendable {
    private var values: [ResponsePlaceholder: String] = [:]

    subscript(placeholder: ResponsePlaceholder) -> String? { values[placeholder] }

    init() {}

    init(_ user: BackendUser) {
        values = [.userID: String(user.id), .email: user.email, .username: user.username]
    }

    init(_ facts: IssuedFacts) {
        self.init(facts.user)
        values[.access] = facts.access.secret.reveal()
        values[.expiresIn] = Self.whole(facts.accessLifetime)
        let accessEnd = facts.issuedAt + facts.accessLifetime
        values[.accessExpiresAt] = Timestamp.format(accessEnd, withZone: true)
        values[.accessExpiresAtZoneless] = Timestamp.format(accessEnd, withZone: false)
        values[.accessExpiresAtUnix] = Self.whole(accessEnd)
        values[.accessExpiresAtMilliseconds] = Self.whole(accessEnd * 1000)
        values[.accessExpiresAtHTTPDate] = Self.httpDate(accessEnd)
        guard let refresh = facts.refresh else { return }
        values[.refresh] = refresh.secret.reveal()
        values[.refreshExpiresIn] = Self.whole(facts.refreshLifetime)
        let refreshEnd = facts.issuedAt + facts.refreshLifetime
        values[.refreshExpiresAt] = Timestamp.format(refreshEnd, withZone: true)
        values[.refreshExpiresAtZoneless] = Timestamp.format(refreshEnd, withZone: false)
        values[.refreshExpiresAtUnix] = Self.whole(refreshEnd)
        values[.refreshExpiresAtMilliseconds] = Self.whole(refreshEnd * 1000)
        values[.refreshExpiresAtHTTPDate] = Self.httpDate(refreshEnd)
    }

    init(_ session: SessionFacts) {
        values = [
            .sessionID: session.id,
            .sessionStartedAt: Timestamp.format(session.startedAt, withZone: true),
            .sessionIsCurrent: String(session.isCurrent),
        ]
    }

    /// - Parameter sessions: The items of the list, written out.
    init(sessions: [String]) {
        values = [.sessions: "[\(sessions.joined(separator: ", "))]"]
    }

    private static func httpDate(_ seconds: Double) -> String {
        HTTPDate.format(Date(timeIntervalSince1970: seconds))
    }

    /// Rounded down, as whole seconds are counted.
    private static func whole(_ number: Double) -> String {
        number.isFinite ? String(Int64(min(max(number, 0), 1e18))) : "0"
    }
}
