import Model

/// The part of a log that a list shows, newest first or in an order of its own.
struct ListWindow<Entry: LogEntry> {
    /// The number of entries that match the filter.
    let count: Int
    /// The rank of the entry in the top row; 0 is the first one.
    let top: Int
    /// The rank of the entry under the cursor, or `nil` while following.
    let cursor: Int?
    let height: Int

    private let log: BoundedLog<Entry>
    /// The places of the shown entries in the log, or `nil` for all of them, newest first.
    private let matching: [Int]?

    /// - Parameters:
    ///   - log: The entries.
    ///   - places: The places of those that can be shown, the first one first, or `nil` for all,
    ///     newest first.
    ///   - state: The position and the filter.
    ///   - height: The number of entries for which there is room.
    ///   - matches: Whether an entry passes the filter.
    init(
        _ log: BoundedLog<Entry>,
        places: [Int]? = nil,
        state: ListState,
        height: Int,
        matches: (Entry, Filter) -> Bool
    ) {
        self.log = log
        self.height = max(0, height)
        let last = log.count - 1
        matching =
            state.filter.isEmpty
            ? places
            : (places ?? log.indices.reversed()).filter { matches(log[$0], state.filter) }
        count = matching?.count ?? log.count
        guard case .held(let number, let row) = state.position, count > 0 else {
            top = 0
            cursor = nil
            return
        }
        let place = min(log.place(of: number), last)
        let found = matching.map { Self.rank(of: place, in: $0) } ?? last - place
        let highest = max(0, count - self.height)
        let aim = min(max(0, found - row), highest)
        cursor = found
        top = min(max(aim, found - self.height + 1), found)
    }

    /// The rank of a place, or of the next older one if it is not shown.
    private static func rank(of place: Int, in places: [Int]) -> Int {
        places.firstIndex(of: place) ?? places.firstIndex { $0 < place } ?? places.count - 1
    }

    var visible: [Entry] {
        (top..<max(top, min(count, top + height))).map { entry(rank: $0) }
    }

    /// The entry below those that are visible, or `nil` if there is none.
    var next: Entry? { top + height < count ? entry(rank: top + height) : nil }

    /// The entry under the cursor; the newest while following.
    var selected: Entry? {
        count == 0 ? nil : entry(rank: cursor ?? 0)
    }

    private func entry(rank: Int) -> Entry {
        log[matching.map { $0[rank] } ?? log.count - 1 - rank]
    }

    /// Returns the position after a move.
    func position(after move: ListMove) -> ListState.Position {
        guard count > 0 else { return .following }
        switch move {
        case .start:
            return .following
        case .end:
            return held(rank: count - 1, row: height - 1)
        case .down, .up, .halfPageDown, .halfPageUp, .pageDown, .pageUp:
            let rows = move.rows(height: height) ?? 0
            guard let cursor else {
                return rows > 0 ? held(rank: rows - 1, row: rows - 1) : .following
            }
            return held(rank: cursor + rows, row: cursor - top + rows)
        }
    }

    /// Where the cursor stands on the next entry that passes, towards the older or the newer ones.
    ///
    /// While following, the search begins with the newest.
    ///
    /// - Returns: The position, or `nil` if no entry there passes.
    func position(
        ofNext isOlder: Bool,
        where passes: (Entry) -> Bool
    ) -> ListState.Position? {
        let ranks =
            isOlder ? Array((cursor.map { $0 + 1 } ?? 0)..<count) : (0..<(cursor ?? 0)).reversed()
        guard let found = ranks.first(where: { passes(entry(rank: $0)) }) else { return nil }
        // With what stands around it, also where it was not in sight.
        let isVisible = (top..<top + height).contains(found)
        return held(rank: found, row: isVisible ? found - top : height / 2)
    }

    /// Where the cursor stands on the entry in a row of the list, or `nil` if there is none.
    func position(ofRow row: Int) -> ListState.Position? {
        guard row >= 0, row < height, top + row < count else { return nil }
        return held(rank: top + row, row: row)
    }

    /// Stays on the entry that is on top now.
    var holding: ListState.Position {
        count == 0 ? .following : held(rank: cursor ?? 0, row: (cursor ?? 0) - top)
    }

    private func held(rank: Int, row: Int) -> ListState.Position {
        let rank = min(max(0, rank), count - 1)
        return .held(number: entry(rank: rank).number, row: min(max(0, row), max(0, height - 1)))
    }
}
