import Model

/// The sessions of a run, in the order in which they were named.
struct WatchedSessions: Sendable, RandomAccessCollection {
    private let sessions: [WatchedSession]
    private let places: [SessionID: Int]

    init(_ sessions: [WatchedSession]) {
        self.sessions = sessions
        let ids = sessions.enumerated().map { ($1.id, $0) }
        places = Dictionary(ids) { first, _ in first }
    }

    var startIndex: Int { sessions.startIndex }
    var endIndex: Int { sessions.endIndex }

    subscript(place: Int) -> WatchedSession { sessions[place] }

    /// The session with this id, or `nil` if there is none.
    subscript(id: SessionID) -> WatchedSession? { places[id].map { sessions[$0] } }
}
