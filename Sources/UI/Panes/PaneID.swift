/// The number of a pane, which is also its key.
package struct PaneID: RawRepresentable, Sendable, Hashable, Comparable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    package static func < (left: PaneID, right: PaneID) -> Bool {
        left.rawValue < right.rawValue
    }
}
