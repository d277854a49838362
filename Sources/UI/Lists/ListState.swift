/// The position in a list whose newest entry is on top, and its filter.
package struct ListState: Sendable, Equatable {
    package enum Position: Sendable, Hashable {
        /// The newest entry is always on top.
        case following
        /// The cursor is on this entry, in this row of the list, and nothing moves.
        case held(number: Int, row: Int)
    }

    package var position = Position.following
    package var filter = Filter()
    /// The last filter that was kept, for which `n` and `N` search.
    package var search = Filter()

    package init() {}

    package var isFollowing: Bool { position == .following }
}
