import TestSupport

@testable import UI

/// Keys of a recording that is shown.
extension KeyTour {
    static let replay = Leg(
        name: "a replay",
        stage: .recording,
        // The recording lasts 25 s: at a quarter of its speed, it does not end meanwhile.
        approach: [.press("- -"), .see("replay 0.25×"), .press("6"), .see("▸6 History")],
        [
            KeyStop(.replay, "+", "play faster", .sees("replay 0.5×")),
            KeyStop(.replay, "-", "slower", .sees("replay 0.25×")),
            KeyStop(.replay, "=", "play faster", .sees("replay 0.5×")),
            KeyStop(.replay, "$", "to the end", .sees("replay over")),
            KeyStop(.replay, "0", "to the start", .sees("replay held 0 s of")),
            KeyStop(.replay, ".", "to the next event", .events(>)),
            KeyStop(.replay, ",", "to the one before", .events(<)),
            KeyStop(.replay, .right, "10 s forward", .position { $1 >= $0 + 10 }),
            KeyStop(.replay, .left, "10 s back", .position { $1 <= $0 - 10 }),
            KeyStop(.replay, " ", "play, or hold", .sees("replay 0.5×")),
            KeyStop(.replay, " ", "play, or hold", .sees("replay held")),
        ],
        everywhere(.replay, mark: "replay held")
    )
}

extension KeyEffect {
    /// The history has more entries, or fewer, after some presses: not each event is in it.
    fileprivate static func events(
        _ order: @escaping @Sendable (Int, Int) -> Bool
    ) -> KeyEffect {
        .story { terminal, press in
            let before = try await terminal.lines.eventCount ?? 0
            try await eventually("another number of events than \(before)") {
                try await press()
                return order(try await terminal.lines.eventCount ?? before, before)
            }
        }
    }

    fileprivate static func position(
        _ rule: @escaping @Sendable (_ before: Int, _ after: Int) -> Bool
    ) -> KeyEffect {
        moves("another position", { $0.elapsed }, rule)
    }
}

extension [String] {
    fileprivate var eventCount: Int? {
        lazy.compactMap { $0.firstMatch(of: /(\d+) events?/).flatMap { Int($0.1) } }.first
    }

    /// In seconds, of which the recording has less than a minute.
    fileprivate var elapsed: Int? {
        lazy.compactMap { row in
            row.firstMatch(of: /replay \S+ (\d+) s of/).flatMap { Int($0.1) }
        }.first
    }
}
