import FoundationEssentials
import Tokens

/// What a list of active sessions holds.
extension Dialect {
    /// At most 1000 sessions; nil when the answer is not such a list.
    package func readSessions(_ response: WireResponse) -> [SessionFacts]? {
        guard let sessions, AnswerClass(status: response.status) == .success,
            let json = AnswerBody(response).json,
            case .array(let elements)? = sessions.list.isEmpty
                ? json : json.value(at: sessions.list)
        else { return nil }
        return elements.prefix(1000).compactMap { element in
            guard let id = element.value(at: sessions.id)?.displayText, !id.isEmpty else {
                return nil
            }
            let started = sessions.startedAt.flatMap { element.value(at: $0)?.stringValue }
                .flatMap(Timestamp.init(parsing:))
            return SessionFacts(
                id: ServerWords.bounded(id),
                startedAt: started.map { $0.local - ($0.zoneOffset ?? 0) } ?? 0,
                isCurrent: sessions.isCurrent.flatMap { element.value(at: $0)?.boolValue } ?? false
            )
        }
    }
}
