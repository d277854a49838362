/// The wall clock was set by this number of seconds.
package struct WallClockStepped: EventKind {
    package var seconds: Double

    package init(seconds: Double) {
        self.seconds = seconds
    }
}

extension WallClockStepped {
    package static let name = "wallStep"
    package static let summary = "The wall clock was set by more than two seconds."
    package static let fields: [EventField<WallClockStepped>] = [
        .seconds("step", "By how much; negative if it was set back.") { $0.seconds }
    ]

    package var kept: (any EventKind)? { self }
    package var tone: EventTone { .warning }
    package var isNotice: Bool { true }
}
