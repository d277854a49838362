/// The number of a pane, which is also its key.
struct PaneID: RawRepresentable, Sendable, Hashable, Comparable {
    let rawValue: Int

    static func < (left: PaneID, right: PaneID) -> Bool {
        left.rawValue < right.rawValue
    }
}
