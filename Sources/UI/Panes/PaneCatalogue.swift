/// All panes in the order of the screen.
enum PaneCatalogue {
    static let all: [any Pane.Type] = [
        SessionsPane.self,
        TokensPane.self,
        ExpiryPane.self,
        FindingsPane.self,
        LifelinePane.self,
        RequestsPane.self,
        FeedPane.self,
        HistoryPane.self,
    ]

    /// The same in the order of their numbers.
    static let numbered: [any Pane.Type] = all.sorted { $0.id < $1.id }

    /// Returns the panes of a screen: an app's sessions have findings, the program's own have none, and
    /// a single session needs no table.
    static func panes(isObserved: Bool, hasSeveralSessions: Bool) -> [any Pane.Type] {
        all.filter { pane in
            switch pane.id {
            case FindingsPane.id: isObserved
            case SessionsPane.id: hasSeveralSessions
            default: true
            }
        }
    }

    /// The panes whose lines can be filtered, searched and copied, with their keys:
    /// `requests (3), feed (4) and history (6)`.
    static let logs: String = {
        let panes: [any Pane.Type] = [RequestsPane.self, FeedPane.self, HistoryPane.self]
        let names = panes.map { "\($0.title.lowercased()) (\($0.id.rawValue))" }
        return "\(names[0]), \(names[1]) and \(names[2])"
    }()

    static func pane(_ id: PaneID) -> (any Pane.Type)? {
        all.first { $0.id == id }
    }

    /// The one that has the focus at first.
    static let first = RequestsPane.id

    /// The pane `steps` further round.
    static func neighbor(
        of id: PaneID,
        by steps: Int,
        among panes: [any Pane.Type]
    ) -> PaneID {
        let place = panes.firstIndex { $0.id == id } ?? 0
        let next = (place + steps) % panes.count
        return panes[next < 0 ? next + panes.count : next].id
    }
}
