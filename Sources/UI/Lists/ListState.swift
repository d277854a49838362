/// The position in a list whose newest entry is on top, and its filter.
struct ListState: Sendable, Equatable {
    enum Position: Sendable, Hashable {
        /// The newest entry is always on top.
        case following
        /// The cursor is on this entry, in this row of the list, and nothing moves.
        case held(number: Int, row: Int)
    }

    var position = Position.following
    var filter = Filter()
    /// The last filter that was kept, for which `n` and `N` search.
    var search = Filter()

    init() {}

    var isFollowing: Bool { position == .following }
}
