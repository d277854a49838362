import ArgumentParser

/// Options for the output of a dashboard command.
struct DisplayOptions: ParsableArguments {
    @Flag(help: "Print events as JSON lines in place of a screen; the default without a terminal.")
    var json = false

    @Option(name: .customLong("for"), help: "End after this time, such as 60s or 10m.")
    var duration: DurationArgument?

    @Flag(help: "Draw with ASCII characters only.")
    var ascii = false

    @Flag(name: .customLong("no-color"), help: "Use no colours; NO_COLOR has the same effect.")
    var noColor = false

    @Flag(name: .customLong("light"), help: "Use colours for a light background.")
    var isLight = false

    @Option(
        name: .customLong("lock-after"),
        help: "Lock the screen after this time without a key press, such as 10m."
    )
    var lockAfter: DurationArgument?

    /// Ends the program abnormally, to test in which state it leaves the terminal.
    @Option(name: .customLong("end-by"), help: .hidden)
    var abruptEnd: AbruptEnd?

    var wantsScreen: Bool { !json && StandardOutput.isTerminal }
}

enum AbruptEnd: String, ExpressibleByArgument, CaseIterable, Sendable {
    case crash
    case error
}
