/// All panes in the order of the screen.
package enum PaneCatalogue {
    package static let all: [any Pane.Type] = [
        TokensPane.self,
        ExpiryPane.self,
        LifelinePane.self,
        RequestsPane.self,
        FeedPane.self,
        HistoryPane.self,
    ]

    /// The same in the order of their numbers.
    package static let numbered: [any Pane.Type] = all.sorted { $0.id < $1.id }

    package static func pane(_ id: PaneID) -> (any Pane.Type)? {
        all.first { $0.id == id }
    }

    /// The one that has the focus at first.
    package static let first = RequestsPane.id

    /// The pane `steps` further round.
    package static func neighbour(of id: PaneID, by steps: Int) -> PaneID {
        let place = all.firstIndex { $0.id == id } ?? 0
        let next = (place + steps) % all.count
        return all[next < 0 ? next + all.count : next].id
    }
}
