import ArgumentParser

/// How a dashboard command shows what happens.
struct DisplayOptions: ParsableArguments {
    @Flag(help: "Print events as JSON lines instead of a screen; so it is too without a terminal.")
    var json = false

    @Option(name: .customLong("for"), help: "End after this long, such as 60s or 10m.")
    var duration: DurationArgument?

    @Flag(help: "Draw with ASCII characters only.")
    var ascii = false

    @Flag(name: .customLong("no-color"), help: "Show no colours; NO_COLOR does the same.")
    var noColor = false

    @Flag(name: .customLong("light"), help: "Colours for a light background.")
    var isLight = false

    @Option(
        name: .customLong("lock-after"),
        help: "Lock the screen after this long without a key, such as 10m."
    )
    var lockAfter: DurationArgument?

    /// Ends the program in an unusual way, for the tests of what the terminal is left in.
    @Option(name: .customLong("end-by"), help: .hidden)
    var abruptEnd: AbruptEnd?

    var wantsScreen: Bool { !json && StandardOutput.isTerminal }
}

enum AbruptEnd: String, ExpressibleByArgument, CaseIterable, Sendable {
    case crash
    case error
}
