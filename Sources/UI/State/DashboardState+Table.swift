import Basics
import Model

/// The table and the strip of several sessions.
extension DashboardState {
    /// The most sessions of authtop's own that each frame looks at.
    static let wholeLimit = 64
    /// Of more, this many are looked at again in a second, since time changes some.
    private static let glancesEach = 200

    /// Whether there is a glance at each session, rather than a look for each frame.
    var hasGlances: Bool { !isObserved && sessions.count > Self.wholeLimit }

    /// Begins with a glance at each of very many sessions.
    mutating func beginGlances() {
        for place in sessions.indices { sessions[place].glance = .before }
        setTable()
    }

    /// Looks again at the sessions that sent events: there may be thousands of others, and a frame is
    /// drawn often.
    mutating func updateGlances(of ids: Set<SessionID>) {
        for id in ids {
            guard let place = places[id] else { continue }
            sessions[place].digest = digest(of: id)
            if isObserved || hasGlances, let lastMoment { lookAt(place, at: lastMoment) }
        }
        if hasGlances { setTable() }
    }

    private func digest(of id: SessionID) -> DashboardSession.Digest {
        let known = book[id]
        return DashboardSession.Digest(
            isSeen: known.observed.status != nil || !known.requests.isEmpty,
            nameColumns: isObserved ? DisplayWidth.columns(of: ObservedName.text(id, known)) : 0,
            crossings: crossings(of: known)
        )
    }

    /// Looks again at some of very many sessions, each in its turn.
    mutating func updateGlances(at now: Moment) {
        guard hasGlances, nextGlanceAt.map({ $0 <= now.now }) ?? true else { return }
        nextGlanceAt = now.now.advanced(bySeconds: 1)
        for _ in 0..<min(Self.glancesEach, sessions.count) {
            lastGlance = (lastGlance + 1) % sessions.count
            lookAt(lastGlance, at: now)
        }
        setTable()
    }

    private mutating func lookAt(_ place: Int, at now: Moment) {
        sessions[place].glance = nil
        sessions[place].glance = SessionGlance(of: viewModel(of: sessions[place], at: now))
    }

    private mutating func setTable() {
        let glances = sessions.map { $0.glance ?? .before }
        if table?.log.count == sessions.count {
            table?.update(glances, order: tableOrder)
        } else {
            table = SessionTable(sessions, glances: glances, order: tableOrder)
        }
    }

    /// All sessions, the worst first.
    func strip(at now: Moment) -> SessionStrip {
        SessionStrip(
            shownSessions,
            places: hasGlances ? table?.byUrgency : nil,
            selected: selected.id
        ) { viewModel(of: $0, at: now) }
    }

    /// Sorts the table by something else.
    mutating func nextTableOrder() {
        guard hasSeveralSessions else {
            notice = Notice("only this session is watched")
            return
        }
        tableOrder = tableOrder.next
        if hasGlances { setTable() }
        notice = Notice("sessions: \(tableOrder.title)", isWarning: false)
    }
}
