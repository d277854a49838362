import DequeModule

/// An entry of a log, found by its number, which no other entry ever has.
package protocol Numbered {
    var number: Int { get }
}

/// The newest entries of a log, in the order of their numbers; the oldest go when it is full.
package struct BoundedLog<Entry: Numbered> {
    package let limit: Int
    private var entries: Deque<Entry> = []

    /// - Parameter limit: How many entries are kept, at least 1.
    package init(limit: Int) {
        self.limit = Swift.max(1, limit)
    }

    /// Puts the entry where its number belongs, in place of one with the same number.
    ///
    /// Cheap for entries that arrive almost in order: an exchange that took long ends after a
    /// later one.
    package mutating func insert(_ entry: Entry) {
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
    package func entry(numbered number: Int) -> Entry? {
        let place = place(of: number)
        guard place < entries.count, entries[place].number == number else { return nil }
        return entries[place]
    }

    /// Changes an entry in its place, if it is still there; its number must stay the same.
    package mutating func change(_ number: Int, _ body: (inout Entry) -> Void) {
        let place = place(of: number)
        guard place < entries.count, entries[place].number == number else { return }
        body(&entries[place])
    }

    /// The place of the first entry whose number is `number` or higher.
    package func place(of number: Int) -> Int {
        if let last = entries.last, last.number < number { return entries.count }
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
    package var startIndex: Int { 0 }
    package var endIndex: Int { entries.count }
    package subscript(place: Int) -> Entry { entries[place] }
}

extension BoundedLog: Sendable where Entry: Sendable {}
extension BoundedLog: Equatable where Entry: Equatable {}
