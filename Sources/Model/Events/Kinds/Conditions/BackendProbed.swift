/// After a wake, the backend was asked whether it can be reached.
package struct BackendProbed: EventKind {
    package var reached: Bool

    package init(reached: Bool) {
        self.reached = reached
    }
}

extension BackendProbed {
    package static let name = "probe"
    package static let summary = "After a wake, the backend was asked whether it can be reached."
    package static let fields: [EventField<BackendProbed>] = [
        .flag("reached", "Whether it can.") { $0.reached }
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .debug }
    package var tone: EventTone { reached ? .plain : .warning }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.reachability.update(probeReached: reached, at: event.moment)
    }
}
