/// How much is kept of each session: of one of very many, less.
package struct SnapshotLimits: Sendable, Hashable {
    var requests: Int
    var generations: Int
    var flights: Int
    var history: Int

    /// Of up to this many sessions, all is kept that is kept of one.
    static let fewSessions = 100

    static let usual = SnapshotLimits(
        requests: SessionSnapshot.requestLimit,
        generations: SessionSnapshot.generationLimit,
        flights: SessionSnapshot.flightLimit,
        history: History.limit
    )
    static let ofMany = SnapshotLimits(requests: 32, generations: 16, flights: 16, history: 32)

    /// Those of each of several sessions.
    static func each(of count: Int) -> SnapshotLimits {
        count > fewSessions ? ofMany : usual
    }
}
