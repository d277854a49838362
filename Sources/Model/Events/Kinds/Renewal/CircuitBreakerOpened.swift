package import Basics

/// The backend rejects fresh tokens: renewals are held back.
package struct CircuitBreakerOpened: EventKind {
    package var until: Instant

    package init(until: Instant) {
        self.until = until
    }
}

extension CircuitBreakerOpened {
    package static let name = "circuitBreakerOpened"
    package static let summary = "The backend rejects fresh tokens: renewals are held back."
    package static let fields: [EventField<CircuitBreakerOpened>] = [
        .time("until", "Until when.") { $0.until }
    ]

    package var kept: (any EventKind)? { self }
    package var level: EventLevel { .warning }
    package var tone: EventTone { .warning }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.flags.breakerOpenUntil = until
    }
}
