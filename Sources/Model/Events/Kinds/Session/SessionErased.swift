import Basics

/// A logout is durable: no pair is stored any longer.
package struct SessionErased: EventKind {
    /// Since it was requested.
    package var after: Duration

    package init(after: Duration) {
        self.after = after
    }
}

extension SessionErased {
    package static let name = "erased"
    package static let summary = "A logout is durable: no pair is stored any more."
    package static let fields: [EventField<SessionErased>] = [
        .milliseconds("ms", "From the request to log out until it was erased.") {
            $0.after.inSeconds
        }
    ]

    package var kept: (any EventKind)? { self }
}
