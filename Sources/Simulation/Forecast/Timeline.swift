/// The events of a forecast, with repetitions combined.
struct Timeline: Sendable, Equatable {
    /// Something that happened once, or again and again.
    struct Entry: Sendable, Equatable {
        /// Seconds from the login.
        var at: Double
        /// The last time.
        var until: Double
        var count = 1
        var message: String
    }

    /// The number of entries kept at the beginning; half as many are kept at the end.
    private static let limit = 16

    private var head: [Entry] = []
    private var tail: [Entry] = []
    /// Entries that were left out between the two.
    private(set) var skipped = 0

    mutating func add(_ message: String, at seconds: Double) {
        let entry = Entry(at: seconds, until: seconds, message: message)
        if tail.isEmpty, Self.extend(&head, with: entry) { return }
        if !tail.isEmpty, Self.extend(&tail, with: entry) { return }
        guard tail.isEmpty, head.count < Self.limit else {
            tail.append(entry)
            guard tail.count > Self.limit / 2 else { return }
            tail.removeFirst()
            skipped += 1
            return
        }
        head.append(entry)
    }

    private static func extend(_ entries: inout [Entry], with entry: Entry) -> Bool {
        guard let last = entries.last, last.message == entry.message else { return false }
        entries[entries.count - 1].count += 1
        entries[entries.count - 1].until = entry.at
        return true
    }

    /// The first ones, and the last ones.
    var parts: (first: [Entry], last: [Entry]) { (head, tail) }

    var entries: [Entry] { head + tail }
}
