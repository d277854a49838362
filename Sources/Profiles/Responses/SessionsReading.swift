package import Basics
import FoundationEssentials

/// One of a user's active sessions, as a backend lists it; all of it is untrusted.
package struct ListedSession: Sendable, Hashable, Codable {
    /// The id as it is shown: on one line, bounded, and without secrets.
    package var id: String
    /// The backend's id, if a secret in it is not shown.
    package var exactID: Secret?
    /// Whether the backend's id is known verbatim, so that it can be used in a request.
    package var isExact: Bool = true
    /// The device, or another name that the user recognizes.
    package var name: String?
    /// Seconds since 1970.
    package var startedAt: Double?
    /// Seconds since 1970.
    package var lastUsedAt: Double?
    /// Whether it is the session of the request, or `nil` if the backend does not say.
    package var isCurrent: Bool?

    /// All members but the exact id, which contains a secret.
    private enum CodingKeys: String, CodingKey {
        case id, isExact, name, startedAt, lastUsedAt, isCurrent
    }
}

/// Parsing of lists of active sessions.
extension Dialect {
    /// The number of sessions after which a list is cut.
    package static let sessionsLimit = 200

    /// Returns at most `sessionsLimit` sessions, or `nil` if the response is not such a list.
    func readSessions(
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> [ListedSession]? {
        guard let sessions, ResponseClass(status: response.status) == .success,
            let json = ResponseBody(response, by: recognition).json,
            case .array(let elements)? = sessions.list.isEmpty
                ? json : json.value(at: sessions.list)
        else { return nil }
        return elements.prefix(Self.sessionsLimit)
            .compactMap { sessions.read($0, hiding: secrets) }.markingAmbiguousIDs()
    }

    /// Returns what a response to `sessionsRequest` says about the token, with the list if it
    /// contains one.
    func readSessionsAnswer(
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> ProtectedResponse {
        decideSessions(response, hiding: secrets).meaning
    }

    /// Parses a response to `sessionsRequest`, and returns what decided its meaning, too.
    package func decideSessions(
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> Decision<ProtectedResponse> {
        let decision = decideProtected(response)
        guard case .accepted = decision.meaning else { return decision }
        guard let list = readSessions(response, hiding: secrets) else {
            return Decision(.inconclusive(retryAfter: nil), by: .unreadable)
        }
        return Decision(.listed(list), by: .success)
    }
}

extension SessionsExchange {
    /// Parses a session, or returns `nil` if it has no id.
    fileprivate func read(
        _ element: JSONValue,
        hiding secrets: KnownSecrets
    ) -> ListedSession? {
        guard let exact = element.value(at: id)?.displayText, !exact.isEmpty else { return nil }
        let shown = ServerMessage.bounded(exact, hiding: secrets)
        guard !shown.isEmpty else { return nil }
        let name = name.flatMap { element.value(at: $0)?.displayText }
            .map { ServerMessage.bounded($0, hiding: secrets) }
        // An id in which only a secret was hidden can still be used in a request.
        let isWhole = ServerMessage.bounded(exact, hiding: .none) == exact
        return ListedSession(
            id: shown,
            exactID: isWhole && shown != exact ? Secret(exact) : nil,
            isExact: isWhole,
            name: name.flatMap { $0.isEmpty ? nil : $0 },
            startedAt: startedAt.flatMap { Self.time(element.value(at: $0)) },
            lastUsedAt: lastUsedAt.flatMap { Self.time(element.value(at: $0)) },
            isCurrent: isCurrent.flatMap { element.value(at: $0)?.boolValue }
        )
    }

    /// Reads a time, in seconds since 1970.
    private static func time(_ value: JSONValue?) -> Double? {
        value.flatMap(StatedEnd.init)?.date?.timeIntervalSince1970
    }
}

extension [ListedSession] {
    /// Returns the sessions, with those marked as inexact whose ids became equal when secrets were
    /// hidden.
    fileprivate func markingAmbiguousIDs() -> [ListedSession] {
        let counts = Dictionary(map { ($0.id, 1) }, uniquingKeysWith: +)
        return map { session in
            guard session.exactID != nil, counts[session.id] != 1 else { return session }
            var session = session
            session.exactID = nil
            session.isExact = false
            return session
        }
    }
}
