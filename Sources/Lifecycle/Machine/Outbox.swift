/// Refresh tokens that ended here and that the backend has not been notified of yet.
struct Outbox: Sendable {
    /// Between tries, in seconds.
    static let shortestWait = 5.0
    static let longestWait = 3600.0

    private(set) var entries: [PendingRevocation] = []
    var inFlight: String?
    /// The entry of the logout that a person waits for: it goes first, and waits for nothing.
    var urgent: String?
    private var failures = 0

    init(_ entries: [PendingRevocation] = []) {
        self.entries = entries
    }

    var next: PendingRevocation? {
        entries.first { $0.id == urgent } ?? entries.first
    }

    mutating func add(_ entry: PendingRevocation) {
        entries.append(entry)
    }

    mutating func remove(_ id: String) {
        entries.removeAll { $0.id == id }
        failures = 0
        if urgent == id { urgent = nil }
    }

    /// Puts the entry behind the others, so that it does not hold them up.
    ///
    /// - Returns: Seconds until the next try.
    mutating func waitAfterFailure(of id: String) -> Double {
        if urgent == id { urgent = nil }
        if let index = entries.firstIndex(where: { $0.id == id }) {
            entries.append(entries.remove(at: index))
        }
        failures += 1
        return min(Self.shortestWait * Double(1 << min(failures - 1, 12)), Self.longestWait)
    }
}
