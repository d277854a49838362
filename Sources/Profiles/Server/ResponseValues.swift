import Basics
import FoundationEssentials

/// The placeholders in the templates of the sandbox's responses.
enum ResponsePlaceholder: String, Sendable, Hashable, CaseIterable {
    case access
    case refresh
    case expiresIn = "expires_in"
    case expiresInMilliseconds = "expires_in_milliseconds"
    case refreshExpiresIn = "refresh_expires_in"
    case refreshExpiresInMilliseconds = "refresh_expires_in_milliseconds"
    case accessExpiresAt = "access_expires_at"
    case accessExpiresAtZoneless = "access_expires_at_zoneless"
    case accessExpiresAtUnix = "access_expires_at_unix"
    case accessExpiresAtHTTPDate = "access_expires_at_http_date"
    case accessExpiresAtMilliseconds = "access_expires_at_milliseconds"
    case refreshExpiresAt = "refresh_expires_at"
    case refreshExpiresAtZoneless = "refresh_expires_at_zoneless"
    case refreshExpiresAtUnix = "refresh_expires_at_unix"
    case refreshExpiresAtHTTPDate = "refresh_expires_at_http_date"
    case refreshExpiresAtMilliseconds = "refresh_expires_at_milliseconds"
    case userID = "user_id"
    case email
    case username
    case sessions
    case sessionID = "session_id"
    case sessionName = "session_name"
    case sessionStartedAt = "session_started_at"
    case sessionIsCurrent = "session_is_current"

    static let user: Set<ResponsePlaceholder> = [.userID, .email, .username]
    static let session: Set<ResponsePlaceholder> = [
        .sessionID, .sessionName, .sessionStartedAt, .sessionIsCurrent,
    ]
    static let issued = Set(allCases).subtracting(session).subtracting([.sessions])

    /// The placeholders that have no value in a response without a refresh token.
    static let refreshToken: Set<ResponsePlaceholder> = [
        .refresh, .refreshExpiresIn, .refreshExpiresInMilliseconds, .refreshExpiresAt,
        .refreshExpiresAtZoneless, .refreshExpiresAtUnix, .refreshExpiresAtMilliseconds,
        .refreshExpiresAtHTTPDate,
    ]

    /// A valid value, to test a template with.
    var sample: String {
        switch self {
        case .access, .refresh, .email, .username, .sessionID, .sessionName: "sample"
        case .accessExpiresAtHTTPDate, .refreshExpiresAtHTTPDate: "Thu, 01 Jan 1970 00:00:01 GMT"
        case .expiresIn, .refreshExpiresIn, .userID: "1"
        case .accessExpiresAt, .refreshExpiresAt, .sessionStartedAt: "1970-01-01T00:00:01Z"
        case .accessExpiresAtZoneless, .refreshExpiresAtZoneless: "1970-01-01T00:00:01"
        case .accessExpiresAtUnix, .refreshExpiresAtUnix: "1"
        case .accessExpiresAtMilliseconds, .refreshExpiresAtMilliseconds, .expiresInMilliseconds,
            .refreshExpiresInMilliseconds:
            "1000"
        case .sessions: "[]"
        case .sessionIsCurrent: "true"
        }
    }
}

/// The values of the placeholders in one response.
struct ResponseValues: Sendable {
    private var values: [ResponsePlaceholder: String] = [:]
    /// The captured values, by their names.
    private var captured: [String: String] = [:]

    subscript(placeholder: ResponsePlaceholder) -> String? { values[placeholder] }

    subscript(name: String) -> String? {
        ResponsePlaceholder(rawValue: name).flatMap { values[$0] } ?? captured[name]
    }

    init() {}

    init(_ user: BackendUser) {
        values = [.userID: String(user.id), .email: user.email, .username: user.username]
    }

    /// - Parameters:
    ///   - facts: The tokens that are issued.
    ///   - captures: The names of the captured values, which are new with each access token.
    init(_ facts: IssuedFacts, capturing captures: [String] = []) {
        self.init(facts.user)
        for name in captures {
            let digest = contentDigest(of: "\(name) \(facts.access.secret.reveal())")
            captured[name] = String(digest.prefix(32))
        }
        values[.access] = facts.access.secret.reveal()
        values[.expiresIn] = Self.whole(facts.accessLifetime)
        values[.expiresInMilliseconds] = Self.whole(facts.accessLifetime * 1000)
        let accessEnd = facts.issuedAt + facts.accessLifetime
        values[.accessExpiresAt] = Timestamp.format(accessEnd, withZone: true)
        values[.accessExpiresAtZoneless] = Timestamp.format(accessEnd, withZone: false)
        values[.accessExpiresAtUnix] = Self.whole(accessEnd)
        values[.accessExpiresAtMilliseconds] = Self.whole(accessEnd * 1000)
        values[.accessExpiresAtHTTPDate] = Self.httpDate(accessEnd)
        guard let refresh = facts.refresh else { return }
        values[.refresh] = refresh.secret.reveal()
        values[.refreshExpiresIn] = Self.whole(facts.refreshLifetime)
        values[.refreshExpiresInMilliseconds] = Self.whole(facts.refreshLifetime * 1000)
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
            .sessionName: session.name ?? "",
            .sessionStartedAt: Timestamp.format(session.startedAt, withZone: true),
            .sessionIsCurrent: String(session.isCurrent),
        ]
    }

    /// - Parameter sessions: The items of the list, as JSON.
    init(sessions: [String]) {
        values = [.sessions: "[\(sessions.joined(separator: ", "))]"]
    }

    private static func httpDate(_ seconds: Double) -> String {
        HTTPDate.format(Date(timeIntervalSince1970: seconds))
    }

    /// Returns a number of whole seconds, rounded down.
    private static func whole(_ number: Double) -> String {
        number.isFinite ? String(Int64(min(max(number, 0), 1e18))) : "0"
    }
}
