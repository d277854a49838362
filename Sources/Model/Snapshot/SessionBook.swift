/// The snapshots of several sessions: each event goes to the snapshot of the session it names.
///
/// A pure fold, like the snapshots; their logs are bounded.
package struct SessionBook: Sendable, Equatable {
    /// The sessions in the order in which they were announced, or first heard of.
    package private(set) var ids: [SessionID] = []
    /// The findings of all sessions, in the order in which they were new.
    package internal(set) var findings = BoundedLog<LoggedFinding>(limit: findingLimit)
    /// The scorecards of all experiments, in the order in which these began.
    package internal(set) var scorecards = BoundedLog<Scorecard>(limit: scorecardLimit)
    /// The requests of all sessions of an app, which number them together.
    ///
    /// The session of a request knows its result.
    package private(set) var requests = BoundedLog<LoggedExchange>(limit: requestLimit)
    package private(set) var requestCounts = RequestCounts()
    /// The amount of an app's traffic, and of the findings in it, that was left out.
    package internal(set) var omissions: [Omission.Subject: Int] = [:]
    /// The newest request that was refused because it named another server.
    package internal(set) var misdirected: MisdirectedRequest?
    /// The number of events of all sessions that came too fast to be taken in.
    package internal(set) var droppedEvents = 0
    /// The number of sessions that have made room for others.
    package private(set) var forgottenSessions = 0
    private var snapshots: [SessionID: OutOfLine<SessionSnapshot>] = [:]
    /// How much is kept of each session.
    private let limits: SnapshotLimits

    static let requestLimit = 5_000
    package static let findingLimit = 1_000
    package static let scorecardLimit = 256

    /// - Parameter ids: The sessions that are known before their first event.
    package init(ids: [SessionID] = []) {
        limits = .each(of: ids.count)
        for id in ids { add(id) }
    }

    init(folding events: some Sequence<SessionEvent>) {
        self.init()
        for event in events { apply(event) }
    }

    /// The snapshot of a session; an empty one if the session has sent no events.
    package subscript(id: SessionID) -> SessionSnapshot {
        snapshots[id]?.value ?? SessionSnapshot()
    }

    /// Returns whether a session is in the book.
    package func contains(_ id: SessionID) -> Bool { snapshots.index(forKey: id) != nil }

    /// Takes one event in; the events of a session come in the order in which they happened.
    package mutating func apply(_ event: SessionEvent) {
        if type(of: event.kind).forgetsSession { return remove(event.session) }
        add(event.session)
        snapshots[event.session]?.value.apply(event)
        event.kind.apply(to: &self, in: event)
    }

    /// Takes in a request of an app, which its session has taken in.
    mutating func recordRequest(_ exchange: Exchange, of session: SessionID) {
        guard exchange.client != nil,
            let request = snapshots[session]?.value.requests.entry(numbered: exchange.id)
        else { return }
        requests.insert(request)
        requestCounts.add(exchange)
    }

    /// Drops what is known of a session, but not its findings.
    private mutating func remove(_ id: SessionID) {
        guard snapshots.removeValue(forKey: id) != nil else { return }
        ids.removeAll { $0 == id }
        forgottenSessions += 1
    }

    /// Begins an empty snapshot, unless there is one.
    mutating func add(_ id: SessionID) {
        guard !contains(id) else { return }
        ids.append(id)
        snapshots[id] = OutOfLine(SessionSnapshot(limits: limits))
    }
}

/// A finding with the session that it concerns.
package struct LoggedFinding: Sendable, Equatable, LogEntry {
    package let session: SessionID
    package let finding: ObservedFinding

    package var number: Int { finding.number }
}
