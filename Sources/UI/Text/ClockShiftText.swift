import Model

/// Where the user can shift the program's wall clock to.
enum ClockShift {
    enum Step: Sendable, Hashable {
        case earlier
        case later
    }

    /// In seconds, in order.
    static let positions: [Double] = [-300, -60, 0, 60, 300]

    /// Returns the position after a step, or the same one at either end.
    static func position(after step: Step, from seconds: Double) -> Double {
        switch step {
        case .earlier: positions.last { $0 < seconds } ?? seconds
        case .later: positions.first { $0 > seconds } ?? seconds
        }
    }
}

/// A wall clock that the user has shifted.
enum ClockShiftText {
    /// `clock +5 m`, or `nil` if it is not shifted.
    static func mark(_ seconds: Double) -> String? {
        seconds == 0 ? nil : "clock \(amount(seconds))"
    }

    static func amount(_ seconds: Double) -> String {
        "\(seconds < 0 ? "−" : "+")\(DurationFormatter.long(abs(seconds)))"
    }

    static func sentence(_ seconds: Double) -> String {
        seconds == 0
            ? "authtop's clock is right again, by you"
            : "authtop's clock is shifted by \(amount(seconds)), by you"
    }

    static let name = "shift authtop's clock"
    static let expectation = "the skew is found and allowed for: renewals stay on time"
    /// The side effects of the shift.
    static let risk = "times in the vault and the log are off, too"

    static func action(_ keys: KeyMap) -> String {
        "sets this program's clock off, for all its sessions; "
            + "\(keys.name(of: .runExperiment)) sets it right"
    }
}
