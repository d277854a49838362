import Model

/// The differences while a recording is shown.
extension DashboardState {
    /// Returns to the state before the first event, as far as events determine it: what the user
    /// looks at remains.
    mutating func forgetEvents() {
        book = SessionBook(ids: sessions.map(\.id))
        for index in sessions.indices {
            sessions[index].digest = DashboardSession.Digest()
            sessions[index].glance = nil
        }
        notice = nil
        lastMoment = nil
        askedPauses = [:]
        if hasGlances { beginGlances() }
    }
}

extension KeyTable {
    static let replay: [KeyCommand] = [
        control([" "], .toggle, hint: "play/hold", "play, or hold"),
        control(["."], .step(1), hint: "step", "to the next event"),
        control([","], .step(-1), "to the one before", joinsPrevious: true),
        control([.right], .seek(seconds: 10), hint: "10 s on", "10 s forward"),
        control(
            [.left],
            .seek(seconds: -10),
            hint: "10 s back",
            "10 s back",
            joinsPrevious: true
        ),
        control(["+", "="], .faster, hint: "faster", "play faster"),
        control(["-"], .slower, hint: "slower", "slower", joinsPrevious: true),
        control(["0"], .toStart, "to the start"),
        control(["$"], .toEnd, "to the end", joinsPrevious: true),
    ]

    private static func control(
        _ keys: [Key],
        _ control: PlaybackControl,
        hint: KeyCommand.Hint? = nil,
        _ help: String,
        joinsPrevious: Bool = false
    ) -> KeyCommand {
        KeyCommand(
            keys: keys,
            modes: [.replay],
            section: .replay,
            hint: hint,
            help: help,
            joinsPrevious: joinsPrevious,
            effect: .command(.playback(control))
        )
    }
}
