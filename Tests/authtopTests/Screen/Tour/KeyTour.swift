import Testing

@testable import UI

/// All keys, in legs of which each has a program of its own on the screen.
///
/// Every key of the table in each of its modes has a stop: see `KeyTourTests`.
enum KeyTour {
    struct Leg: Sendable, CustomTestStringConvertible {
        let name: String
        let stage: TourStage
        /// The way to where the first key is pressed.
        let approach: [KeyStop.Step]
        let stops: [KeyStop]

        init(
            name: String,
            stage: TourStage,
            approach: [KeyStop.Step],
            _ stops: [KeyStop]...
        ) {
            self.name = name
            self.stage = stage
            self.approach = approach
            self.stops = stops.flatMap(\.self)
        }

        var testDescription: String { name }
    }

    static let legs =
        [session, panes, lists, search, lifeline, several, replay, waiting] + overlays + writing
        + [authorization, locked]

    /// The stops that are the same in every mode: the last stop quits.
    static func everywhere(
        _ mode: KeyMode,
        mark: String,
        after steps: [KeyStop.Step] = []
    ) -> [KeyStop] {
        [
            KeyStop(mode, .control("l"), "draw the screen again", after: steps, .redraws),
            KeyStop(mode, .control("r"), "draw the screen again", .redraws),
            KeyStop(mode, .control("z"), "suspend", .suspends(mark: mark)),
            KeyStop(mode, .control("c"), "quit at once", .quits),
        ]
    }

    static func locking(
        _ mode: KeyMode,
        mark: String,
        after steps: [KeyStop.Step] = []
    ) -> [KeyStop] {
        [KeyStop(mode, "K", "lock the screen", after: steps, .locks(mark: mark))]
    }
}
