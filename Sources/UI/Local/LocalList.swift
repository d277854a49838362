import FoundationEssentials
import Model
import Stores

/// The rows of the table in the order that the user has chosen, those that pass the filter, and the
/// one that is selected.
struct LocalList: Sendable {
    /// The order of the rows.
    enum Order: String, Sendable, CaseIterable {
        /// As the screen begins: what ends first, then the profiles without a session.
        case timeLeft = "time left"
        case provider
        case account
        case place

        var next: Order {
            let all = Self.allCases
            return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
        }

        /// Returns rows, which are by the time that is left, in this order.
        func sorted(_ rows: [LocalRow], _ text: StoreText) -> [LocalRow] {
            guard self != .timeLeft else { return rows }
            let keys = rows.map { row in
                switch self {
                case .timeLeft: ""
                case .provider: row.title.lowercased()
                case .account: row.account?.lowercased() ?? ""
                case .place: row.place(text)
                }
            }
            // Rows without an account are last, and equal ones stay by the time that is left.
            return rows.indices.sorted { left, right in
                (keys[left].isEmpty ? 1 : 0, keys[left], left)
                    < (keys[right].isEmpty ? 1 : 0, keys[right], right)
            }
            .map { rows[$0] }
        }
    }

    /// A row and its place in the order, from 1 on.
    struct Entry: LogEntry {
        let number: Int
        let row: LocalRow
    }

    static let fields = [
        FilterField("session"), FilterField("state"), FilterField("account"),
        FilterField("where"), FilterField("left", .duration), FilterField("token", .token),
    ]

    var order = Order.timeLeft
    private(set) var state = ListState()
    /// The row under the cursor, which is found again when others come and go; `nil` for the first.
    private var selected: LocalRow.ID?

    var filter: Filter { state.filter }

    /// Shows the rows that pass a filter, from the first one on.
    mutating func show(_ filter: Filter) {
        state.filter = filter
        toStart()
    }

    mutating func toStart() {
        state.position = .following
        selected = nil
    }

    /// Returns the part of the rows for which there is room.
    ///
    /// - Parameters:
    ///   - entries: All of them in this order.
    ///   - height: The room.
    ///   - now: The moment.
    ///   - text: The words by which they are filtered.
    /// - Returns: The rows that are visible, and the one under the cursor.
    func window(
        of entries: BoundedLog<Entry>,
        height: Int,
        at now: Date,
        _ text: StoreText
    ) -> ListWindow<Entry> {
        var state = state
        if case .held(_, let line) = state.position,
            let place = entries.firstIndex(where: { $0.row.id == selected })
        {
            state.position = .held(number: place + 1, row: line)
        }
        return ListWindow(entries, places: Array(entries.indices), state: state, height: height) {
            matches($0.row, $1, now, text)
        }
    }

    /// Moves the cursor, which is on the first row before the first step.
    mutating func move(
        _ move: ListMove,
        in entries: BoundedLog<Entry>,
        height: Int,
        at now: Date,
        _ text: StoreText
    ) {
        if state.isFollowing {
            let window = window(of: entries, height: height, at: now, text)
            select(window.holding, in: entries)
        }
        let window = window(of: entries, height: height, at: now, text)
        select(window.position(after: move), in: entries)
    }

    private mutating func select(_ position: ListState.Position, in entries: BoundedLog<Entry>) {
        guard case .held(let number, _) = position else { return toStart() }
        state.position = position
        selected = entries[number - 1].row.id
    }

    // MARK: - Filter
    private func matches(
        _ row: LocalRow,
        _ filter: Filter,
        _ now: Date,
        _ text: StoreText
    ) -> Bool {
        filter.passes { condition in
            let pattern = condition.pattern
            return switch condition.field {
            case "session": pattern.isIn(row.title)
            case "state": pattern.isIn(row.stateWord(at: now))
            case "account": pattern.isIn(row.account)
            case "where": pattern.isIn(row.place(text))
            case "left": row.timeLeft(at: now).map(pattern.matches(seconds:)) ?? false
            case "token": row.tokens.contains { pattern.matches($0.fingerprint) }
            default:
                [row.title, row.stateWord(at: now), row.account, row.place(text)]
                    .contains { pattern.isIn($0) }
            }
        }
    }
}
