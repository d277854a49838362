/// Refresh tokens that ended here and that the backend has yet to be told of.
struct Outbox: Sendable {
    /// Between tries, in seconds.
    static let shortestWait = 5.0
    static let longestWait = 3600.0

    private(set) var entries: [PendingRevocation] = []
    var inFlight: String?
    private var failures = 0

    init(_ entries: [PendingRevocation] = []) {
        self.entries = entries
    }

    mutating func add(_ entry: PendingRevocation) {
        entries.append(entry)
    }

    mutating func remove(_ id: String) {
        entries.removeAll { $0.id == id }
        failures = 0
    }

    mutating func waitAfterFailure() -> Double {
        failures += 1
        return min(Self.shortestWait * Double(1 << min(failures - 1, 12)), Self.longestWait)
    }
}
