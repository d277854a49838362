package import Basics

/// What the user looks at in the lifeline of a session.
package struct LifelineView: Sendable, Equatable {
    /// A picture that stands still, with a cursor.
    package struct Held: Sendable, Equatable {
        /// An instant in the column under the cursor.
        package var cursor: Instant
        /// The place of that column on the screen, counted from 0.
        package var column: Int
        package var span: LifelineSpan
    }

    /// The span that the user chose, or `nil` for one that suits the tokens.
    package var span: LifelineSpan?
    /// `nil` if the picture follows the present.
    package var held: Held?

    package init(span: LifelineSpan? = nil, held: Held? = nil) {
        self.span = span
        self.held = held
    }

    package var isFollowing: Bool { held == nil }
}

/// What the keys of the lifeline do.
enum LifelineMove: Sendable, Hashable {
    /// By one column.
    case earlier
    case later
    case zoomIn
    case zoomOut
}
