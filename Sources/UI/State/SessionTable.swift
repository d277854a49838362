import Basics
import Model

/// The order of the table of sessions.
enum SessionOrder: Sendable, CaseIterable {
    case urgency
    case state
    case renewal
    case name

    /// The words of a notice.
    var title: String {
        switch self {
        case .urgency: "the most urgent first"
        case .state: "by state"
        case .renewal: "the next renewal first"
        case .name: "by name"
        }
    }

    var next: SessionOrder {
        let all = Self.allCases
        let place = all.firstIndex(of: self) ?? 0
        return all[(place + 1) % all.count]
    }
}

/// All sessions in the order of the table, with their counts.
struct SessionTable: Sendable, Equatable {
    /// A session and its number among all.
    struct Entry: Sendable, Equatable, LogEntry {
        let number: Int
        let id: SessionID
    }

    /// Of how many sessions the table has counts: those that it shows are seen.
    static let countedFrom = 13

    /// The sessions in their own order.
    private(set) var log: BoundedLog<Entry>
    /// The places of sessions, the most urgent one first.
    private(set) var byUrgency: [Int]
    /// The places of sessions in the order of the table.
    private(set) var places: [Int]
    /// The number of sessions in each phase.
    private(set) var counts: [SessionGlance.Phase: Int] = [:]
    /// When the next renewal is planned, or `nil` if none is.
    private(set) var renewsAt: Instant?

    /// - Parameters:
    ///   - sessions: All sessions.
    ///   - glances: The glance at each.
    ///   - order: The order of the table.
    init(_ sessions: [DashboardSession], glances: [SessionGlance], order: SessionOrder) {
        log = BoundedLog(limit: sessions.count)
        for (place, session) in sessions.enumerated() {
            log.insert(Entry(number: place + 1, id: session.id))
        }
        byUrgency = SessionStrip.order(glances.map(\.urgency))
        places = []
        sort(glances, by: order)
    }

    /// Sorts and counts the same sessions again.
    mutating func update(_ glances: [SessionGlance], order: SessionOrder) {
        byUrgency = SessionStrip.order(glances.map(\.urgency))
        sort(glances, by: order)
    }

    private mutating func sort(_ glances: [SessionGlance], by order: SessionOrder) {
        counts = [:]
        renewsAt = nil
        for glance in glances {
            counts[glance.phase, default: 0] += 1
            guard let next = glance.renewsAt, renewsAt.map({ next < $0 }) ?? true else { continue }
            renewsAt = next
        }
        switch order {
        case .urgency: places = byUrgency
        case .state:
            let keys = glances.map(\.phase.rawValue)
            places = keys.indices.sorted { (-keys[$0], $0) < (-keys[$1], $1) }
        case .renewal:
            let keys = glances.map { $0.renewsAt?.nanoseconds ?? .max }
            places = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
        case .name:
            let keys = log.map(\.id)
            places = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
        }
    }

    /// `9 812 signed in · 12 renewing · 3 ended · next 0.4 s`, and the same without the last part.
    func summary(at now: Instant) -> [String] {
        let parts = SessionGlance.Phase.allCases.compactMap { phase -> String? in
            counts[phase].map { "\(CountFormatter.grouped($0)) \(phase.title)" }
        }
        let left = renewsAt.map { $0.seconds(since: now) }.flatMap { $0 > 0 ? $0 : nil }
        let next = left.map { ["next \(DurationFormatter.tenths($0))"] } ?? []
        return [parts + next, parts].map { $0.joined(separator: " · ") }
    }
}
