// The page that waits for an app: what to type, for each kind of app.

extension DashboardState {
    /// Whether nothing has gone through the proxy yet.
    var isWaiting: Bool { configuration.proxy != nil && !hasTraffic }

    /// The kind of app whose page is shown.
    var guideKind: AppGuide.Kind {
        chosenKind ?? configuration.proxy.map(AppGuide.firstKind) ?? .browser
    }
}

extension KeyTable {
    static let waiting: [KeyCommand] = [
        kind([.right, .tab], by: 1, hint: "other kinds of app", "next kind of app"),
        kind([.left, .shiftTab], by: -1, "previous kind of app", joinsPrevious: true),
    ]

    private static func kind(
        _ keys: [Key],
        by step: Int,
        hint: KeyCommand.Hint? = nil,
        _ help: String,
        joinsPrevious: Bool = false
    ) -> KeyCommand {
        KeyCommand(
            keys: keys,
            modes: [.waiting],
            section: .waiting,
            hint: hint,
            help: help,
            joinsPrevious: joinsPrevious,
            effect: .change { $0.chosenKind = $0.guideKind.neighbor(by: step) }
        )
    }
}
