import FoundationEssentials
import Model
import Stores

/// The rows of the table in their order, and what is wrong with their sessions, as long as time changes
/// neither.
struct LocalArrangement: Sendable {
    let entries: BoundedLog<LocalList.Entry>
    /// The worst first.
    let findings: [StoreFinding]
    /// The number of sessions in each state.
    let states: [StoredSession.State: Int]
    let profiles: Int
    let problems: Int
    private let order: LocalList.Order
    private let horizon: Horizon

    /// - Parameters:
    ///   - sessions: Those of this machine.
    ///   - own: Authtop's own sessions, and the profiles without one.
    ///   - order: The order of the rows.
    ///   - now: The moment.
    ///   - text: The words by which they are sorted.
    init(
        _ sessions: LocalSessions,
        own: [LocalRow],
        by order: LocalList.Order,
        at now: Date,
        _ text: StoreText
    ) {
        var horizon = Horizon(now)
        findings = sessions.findings(within: &horizon)
        let owned = own.compactMap(\.entry)
        let ids = Set(owned.map(\.session.id))
        let stored = LocalSessions.ordered(owned + sessions.entries.values, within: &horizon)
        var states: [StoredSession.State: Int] = [:]
        for entry in stored { states[entry.session.state(within: &horizon), default: 0] += 1 }
        self.states = states
        self.horizon = horizon
        self.order = order
        let profiles = own.filter { $0.entry == nil }
        self.profiles = profiles.count
        problems = sessions.problems.count
        let rows =
            stored.map { LocalRow(.stored($0, isOwn: ids.contains($0.session.id))) } + profiles
            + sessions.problems.map { LocalRow(.problem($0)) }
        var entries = BoundedLog<LocalList.Entry>(limit: rows.count)
        for (place, row) in order.sorted(rows, text).enumerated() {
            entries.insert(LocalList.Entry(number: place + 1, row: row))
        }
        self.entries = entries
    }

    /// Returns whether it is the same at a moment, which may be before the one that it was made at if the
    /// clock was put back.
    func holds(at now: Date, by order: LocalList.Order) -> Bool {
        order == self.order && horizon.now <= now && horizon.next.map { now < $0 } ?? true
    }

    var sessions: Int { states.values.reduce(0, +) }
}
