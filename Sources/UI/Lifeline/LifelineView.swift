import Basics

/// The part of a session's lifeline that the user looks at.
struct LifelineView: Sendable, Equatable {
    /// A picture that stands still, with a cursor.
    struct Held: Sendable, Equatable {
        /// An instant in the column under the cursor.
        var cursor: Instant
        /// The place of that column on the screen, counted from 0.
        var column: Int
        var span: LifelineSpan
    }

    /// The span that the user chose, or `nil` for one that suits the tokens.
    var span: LifelineSpan?
    /// `nil` if the picture follows the present.
    var held: Held?

    var isFollowing: Bool { held == nil }
}

/// The moves by the keys of the lifeline.
enum LifelineMove: Sendable, Hashable {
    /// By one column.
    case earlier
    case later
    case zoomIn
    case zoomOut
}
