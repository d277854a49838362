@testable import UI

/// Keys that move in lists, texts and the lifeline.
extension KeyTour {
    /// Some pages of requests, and among them two renewals.
    private static let requests: [KeyStop.Step] = [
        .press("r"), .see("/api/auth/re"), .type(String(repeating: "p", count: 60)),
        .press("r"), .see("generation 3"), .type(String(repeating: "p", count: 60)),
        .see("following"), .press("G"), .see("122 newer"), .press("g"), .see("following"),
    ]

    static let lists = Leg(
        name: "a list",
        stage: .devices,
        approach: requests,
        moves(in: .panes, .list),
        [
            KeyStop(
                .panes,
                "F",
                hold,
                after: [.press("g"), .see("following")],
                .sees("‖ held · newest")
            ),
            KeyStop(.panes, "F", hold, .loses("‖ held")),
            KeyStop(
                .panes,
                .escape,
                "give up a login that waits; undo a zoom, a filter, a hold",
                after: [.press("j"), .see("‖ held")],
                .loses("‖ held")
            ),
            KeyStop(.panes, .enter, "open what is selected", .sees("─ Request #")),
            KeyStop(
                .panes,
                "y",
                "copy it: a request as curl, others as Markdown",
                after: escape("─ Request #"),
                .copies("/melchat/api/messages/poll")
            ),
            KeyStop(.panes, .control("c"), "quit at once", .quits),
        ]
    )

    private static let hold = "hold the list, or follow it"

    static let search = Leg(
        name: "a search",
        stage: .devices,
        approach: requests,
        [
            KeyStop(.panes, "/", "filter the list", .sees("Enter keep", "Esc clear")),
            KeyStop(
                .panes,
                .escape,
                "give up a login that waits; undo a zoom, a filter, a hold",
                after: [
                    .type("path:/refresh"), .see("2 of 123"), .press("Enter"), .see("q quit"),
                ],
                .loses("2 of 123")
            ),
            KeyStop(.panes, "n", "to the next match of the last filter, older", .older),
            KeyStop(.panes, "n", "to the next match of the last filter, older", .older),
            KeyStop(.panes, "N", "newer", .newer),
            KeyStop(.panes, .control("c"), "quit at once", .quits),
        ]
    )

    // MARK: - Moves

    /// The thing that is moved, and the way in which its position is read off the screen.
    enum Moved: Sendable {
        /// The newest entry is on top.
        case list
        /// A text in an overlay.
        case text
        /// The rows of an overlay, one of which is marked.
        case rows([String])
        /// This many sessions in an overlay, one of which is marked.
        case sessions(Int)

        /// The position, from 0 at the top.
        @Sendable func position(_ screen: [String]) -> Int? {
            switch self {
            case .list: screen.listPosition
            case .text: screen.textPosition
            case .rows(let names): screen.markedRow(of: names)
            case .sessions: screen.markedSession
            }
        }

        var last: Int? {
            switch self {
            case .list, .text: nil
            case .rows(let names): names.count - 1
            case .sessions(let count): count - 1
            }
        }
    }

    /// Every key that moves, from the top: down and up again by a row, half a page and a page, and
    /// to the ends.
    static func moves(in mode: KeyMode, _ moved: Moved) -> [KeyStop] {
        func stop(
            _ key: Key,
            _ help: String,
            after steps: [KeyStop.Step] = [],
            _ rule: @escaping @Sendable (Int, Int) -> Bool
        ) -> KeyStop {
            KeyStop(mode, key, help, after: steps, .moves(help, { moved.position($0) }, rule))
        }
        // From a list that follows, the first step selects its newest entry.
        let first: [KeyStop.Step]
        if case .list = moved { first = [.press("j"), .see("held")] } else { first = [] }
        let isByOne: @Sendable (Int, Int) -> Bool = { abs($0 - $1) == 1 }
        let up = "up; to older, newer in the lifeline"
        return [
            stop("j", "down", after: first) { $1 == $0 + 1 },
            stop(.down, "down") { $1 == $0 + 1 },
            stop("k", up) { $1 == $0 - 1 },
            stop(.up, up) { $1 == $0 - 1 },
            stop(.control("d"), "half a page down") { $1 > $0 && !isByOne($0, $1) },
            stop(.control("u"), "up") { $1 < $0 && !isByOne($0, $1) },
            stop(.pageDown, "a page down") { $1 > $0 && !isByOne($0, $1) },
            stop(.pageUp, "up") { $1 < $0 && !isByOne($0, $1) },
            stop("G", "to the oldest") { moved.last == nil ? $1 > $0 : $1 == moved.last },
            stop("g", "to the newest, and follow") { $1 <= 0 && $1 < $0 },
            stop(.end, "to the oldest") { moved.last == nil ? $1 > $0 : $1 == moved.last },
            stop(.home, "to the newest, and follow") { $1 <= 0 && $1 < $0 },
        ]
    }

    // MARK: - The lifeline

    static let lifeline = Leg(
        name: "the lifeline",
        stage: .devices,
        approach: [
            .press("r"), .see("/api/auth/re"), .press("5"), .see("▸5 Lifeline"),
            .press("F"), .see("‖ held"),
        ],
        [
            // The session is younger than a few columns, but its plans are minutes ahead.
            KeyStop(.panes, .right, "a column forward", .cursor(>)),
            KeyStop(.panes, ">", "a column forward", .cursor(>)),
            KeyStop(.panes, .left, "a column back", .cursor(<)),
            KeyStop(.panes, "<", "a column back", .cursor(<)),
            KeyStop(.panes, "-", "out", .column(>)),
            KeyStop(.panes, "(", "out", .column(>)),
            KeyStop(.panes, "+", "zoom in", .column(<)),
            KeyStop(.panes, "=", "zoom in", .column(<)),
            KeyStop(.panes, ")", "zoom in", after: [.press("-")], .column(<)),
            KeyStop(
                .panes,
                "j",
                "down",
                after: [.press("p g F"), .see("‖ held")],
                .cursor(<)
            ),
            KeyStop(
                .panes,
                "k",
                "up; to older, newer in the lifeline",
                after: [.press("G")],
                .cursor(>)
            ),
            KeyStop(.panes, .control("c"), "quit at once", .quits),
        ]
    )
}

extension KeyEffect {
    /// The cursor of a list goes to an older entry.
    static let older = moves("an older entry", { $0.listPosition }) { $1 > $0 }
    static let newer = moves("a newer entry", { $0.listPosition }) { $1 < $0 }

    /// The time at the cursor of the lifeline is another one, by an order.
    fileprivate static func cursor(_ order: @escaping @Sendable (Int, Int) -> Bool) -> KeyEffect {
        moves("the cursor elsewhere", { $0.cursorTime }) { order($1, $0) }
    }

    /// A column of the lifeline is this many seconds, by an order.
    fileprivate static func column(_ order: @escaping @Sendable (Int, Int) -> Bool) -> KeyEffect {
        moves("columns of another length", { $0.columnLength }) { order($1, $0) }
    }
}

extension [String] {
    /// The number of entries that are newer than the one under the cursor; −1 while the list
    /// follows.
    fileprivate var listPosition: Int? {
        for row in self where row.contains("▸") {
            if row.contains("· following") { return -1 }
            if row.contains("held · newest") { return 0 }
            if let match = row.firstMatch(of: /held · (\d+) newer/) { return Int(match.1) }
        }
        return nil
    }

    /// The number of rows of an overlay that are hidden above, counted from all that are hidden at
    /// the top.
    fileprivate var textPosition: Int? {
        guard contains(where: { $0.contains("╭─ ") }) else { return nil }
        let below = lazy.compactMap { row in
            row.firstMatch(of: /(\d+) more below/).flatMap { Int($0.1) }
        }
        return -(below.first ?? 0)
    }

    /// Which of these names stands behind the mark of a selected row.
    fileprivate func markedRow(of names: [String]) -> Int? {
        for row in self {
            guard let mark = row.firstRange(of: "│ ▸ ") else { continue }
            let rest = row[mark.upperBound...]
            // Of two names of which one begins with the other, it is the longer one.
            let found = names.indices.filter { rest.hasPrefix(names[$0] + " ") }
            return found.max { names[$0].count < names[$1].count }
        }
        return nil
    }

    /// The rank of the marked session, all of which are in sight.
    fileprivate var markedSession: Int? {
        let rows = filter { $0.firstMatch(of: /│ [▸ ] \S+ +\d\d:\d\d:\d\d/) != nil }
        return rows.firstIndex { $0.contains("│ ▸ ") }
    }

    /// Milliseconds of the day at the cursor of the lifeline.
    fileprivate var cursorTime: Int? {
        lazy.compactMap { row in
            row.firstMatch(of: /│ ▸ (\d\d):(\d\d):(\d\d)(?:\.(\d\d\d))?/).map { match in
                let minutes = (Int(match.1) ?? 0) * 60 + (Int(match.2) ?? 0)
                let seconds = minutes * 60 + (Int(match.3) ?? 0)
                return seconds * 1000 + (match.4.flatMap { Int($0) } ?? 0)
            }
        }.first
    }

    /// In milliseconds.
    fileprivate var columnLength: Int? {
        let units = ["ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000]
        return lazy.compactMap { row in
            row.firstMatch(of: /1 column = ([0-9.]+) (ms|s|min|h|d)/).flatMap { match in
                Double(match.1).map { Int($0 * Double(units[String(match.2)] ?? 0)) }
            }
        }.first
    }
}
