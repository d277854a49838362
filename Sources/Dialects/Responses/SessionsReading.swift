package import Tokens

/// One of a user's active sessions, as a backend lists it: all of it is a server's data.
package struct ListedSession: Sendable, Hashable {
    /// As it is shown: in one line, bounded, and without a secret.
    package var id: String
    /// What the backend calls it, where a secret in it is not shown.
    package var exactID: Secret?
    /// Whether what the backend said is known verbatim, so that it can be named to it.
    package var isExact: Bool
    /// The device, or whatever else tells a person which one it is.
    package var name: String?
    /// Seconds since 1970.
    package var startedAt: Double?
    /// Seconds since 1970.
    package var lastUsedAt: Double?
    /// Whether it is the session that asked, or `nil` if the backend does not tell.
    package var isCurrent: Bool?

    package init(
        id: String,
        exactID: Secret? = nil,
        isExact: Bool = true,
        name: String? = nil,
        startedAt: Double? = nil,
        lastUsedAt: Double? = nil,
        isCurrent: Bool? = nil
    ) {
        self.id = id
        self.exactID = exactID
        self.isExact = isExact
        self.name = name
        self.startedAt = startedAt
        self.lastUsedAt = lastUsedAt
        self.isCurrent = isCurrent
    }
}

/// What a list of active sessions holds.
extension Dialect {
    /// More of them are not looked at.
    package static let sessionsLimit = 200

    /// At most `sessionsLimit` sessions, or `nil` if the answer is not such a list.
    package func readSessions(
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> [ListedSession]? {
        guard let sessions, ResponseClass(status: response.status) == .success,
            let json = ResponseBody(response).json,
            case .array(let elements)? = sessions.list.isEmpty
                ? json : json.value(at: sessions.list)
        else { return nil }
        return elements.prefix(Self.sessionsLimit)
            .compactMap { sessions.read($0, hiding: secrets) }.withoutTwins
    }

    /// What an answer to `sessionsRequest` means for the token, and the list where it holds one.
    package func readSessionsAnswer(
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> ProtectedResponse {
        let answer = readProtected(response)
        guard case .accepted = answer else { return answer }
        guard let list = readSessions(response, hiding: secrets) else {
            return .inconclusive(retryAfter: nil)
        }
        return .listed(list)
    }
}

extension SessionsExchange {
    /// `nil` for what has no id.
    fileprivate func read(
        _ element: JSONValue,
        hiding secrets: KnownSecrets
    ) -> ListedSession? {
        guard let exact = element.value(at: id)?.displayText, !exact.isEmpty else { return nil }
        let shown = ServerMessage.bounded(exact, hiding: secrets)
        guard !shown.isEmpty else { return nil }
        let name = name.flatMap { element.value(at: $0)?.displayText }
            .map { ServerMessage.bounded($0, hiding: secrets) }
        // An id in which only a secret was hidden can be named to the backend as it is.
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

    /// ISO 8601, or seconds or milliseconds since 1970: which of them, their size tells.
    private static func time(_ value: JSONValue?) -> Double? {
        if let stamp = value?.stringValue.flatMap(Timestamp.init(parsing:)) {
            return stamp.local - (stamp.zoneOffset ?? 0)
        }
        guard let number = value?.numberValue, number.isFinite, number > 0 else { return nil }
        let seconds = number > 100_000_000_000 ? number / 1000 : number
        return seconds <= 253_402_300_799 ? seconds : nil
    }
}

extension [ListedSession] {
    /// Those that hiding has made alike cannot be named any more.
    fileprivate var withoutTwins: [ListedSession] {
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
