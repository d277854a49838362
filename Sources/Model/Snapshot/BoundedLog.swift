public import DequeModule

/// An entry of a log, found by its number, which no other entry ever has.
public protocol LogEntry {
    var number: Int { get }
}

/// The newest entries of a log, in the order of their numbers; the oldest go when it is full.
///
/// The rules that read an app's traffic walk such logs for each request. Half of their time went into
/// generic calls while this was `package`: the compiler specializes only what is public and inlinable
/// in another module.
public struct BoundedLog<Entry: LogEntry> {
    /// The number of entries that are kept, at least 1.
    public let limit: Int
    @usableFromInline internal var entries: Deque<Entry> = []

    /// - Parameter limit: The number of entries that are kept; 1 if it is less.
    @inlinable public init(limit: Int) {
        self.limit = Swift.max(1, limit)
    }

    /// Puts the entry where its number belongs, in place of one with the same number.
    ///
    /// Cheap for entries that arrive almost in order: an exchange that took long ends after a
    /// later one.
    @inlinable public mutating func insert(_ entry: Entry) {
        let place = place(of: entry.number)
        if place < entries.count, entries[place].number == entry.number {
            entries[place] = entry
            return
        }
        if place == 0, entries.count >= limit { return }
        entries.insert(entry, at: place)
        if entries.count > limit { entries.removeFirst() }
    }

    /// Returns the entry, or `nil` if there never was one or it was dropped.
    @inlinable public func entry(numbered number: Int) -> Entry? {
        let place = place(of: number)
        guard place < entries.count, entries[place].number == number else { return nil }
        return entries[place]
    }

    /// Changes an entry in its place, if it is still there; its number must stay the same.
    @inlinable public mutating func change(_ number: Int, _ body: (inout Entry) -> Void) {
        let place = place(of: number)
        guard place < entries.count, entries[place].number == number else { return }
        body(&entries[place])
    }

    /// The place of the first entry whose number is `number` or higher.
    @inlinable public func place(of number: Int) -> Int {
        guard let last = entries.last?.number, last >= number else { return entries.count }
        // Where it is if no number is missing after it.
        let likely = entries.count - 1 - (last - number)
        if likely >= 0, entries[likely].number == number { return likely }
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The oldest entry comes first.
extension BoundedLog: RandomAccessCollection {
    /// The place of the oldest entry.
    @inlinable public var startIndex: Int { 0 }
    /// The place after that of the newest entry.
    @inlinable public var endIndex: Int { entries.count }
    /// The entry at a place, which changes whenever an older one goes.
    @inlinable public subscript(place: Int) -> Entry {
        // Reading a part of an entry copies nothing.
        _read { yield entries[place] }
    }
}

extension BoundedLog: Sendable where Entry: Sendable {}
extension BoundedLog: Equatable where Entry: Equatable {}
