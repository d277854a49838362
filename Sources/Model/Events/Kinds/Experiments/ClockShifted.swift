/// The user has shifted the program's wall clock, and by how many seconds it is off now.
package struct ClockShifted: EventKind {
    package var seconds: Double

    package init(seconds: Double) {
        self.seconds = seconds
    }
}

extension ClockShifted {
    package static let name = "clockShifted"
    package static let summary =
        "The user has shifted the wall clock of the program, by which all times are given."
    package static let fields: [EventField<ClockShifted>] = [
        .seconds("seconds", "How far it is ahead of the machine's; negative if behind.") {
            $0.seconds
        }
    ]

    package static let isLasting = true
    package var kept: (any EventKind)? { self }
    package var tone: EventTone { seconds == 0 ? .plain : .warning }
    package var lifelineMark: LifelineMark? {
        // The disturbance of the session is over.
        seconds == 0 ? .resumed : .warning
    }
    package var isNotice: Bool { true }

    package func apply(to session: inout SessionSnapshot, in event: SessionEvent) {
        session.clockShift = seconds
    }
}
