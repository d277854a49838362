import ArgumentParser
import Basics
import UI

/// Options for the output of a dashboard command.
struct DisplayOptions: ParsableArguments {
    @Flag(help: "Print events as JSON lines in place of a screen; the default without a terminal.")
    var json = false

    @Flag(
        name: .customLong("drop"),
        help: "Drop events that the reader of --json is too slow for, in place of waiting for it."
    )
    var dropsEvents = false

    @Option(name: .customLong("for"), help: "End after this time, such as 60s or 10m.")
    var duration: DurationArgument?

    @OptionGroup var appearance: AppearanceOptions

    @Flag(
        name: .customLong("no-mouse"),
        help: "Leave the mouse to the terminal, which then selects text with it."
    )
    var noMouse = false

    @Flag(help: "Ring the bell when a session ends that you did not end.")
    var bell = false

    @Option(
        name: .customLong("lock-after"),
        help: "Lock the screen after this time without a key press, such as 10m."
    )
    var lockAfter: DurationArgument?

    @Flag(
        name: .customLong("readonly"),
        help: "Only watch: no key acts on a session or its backend; renewal goes on."
    )
    var isReadOnly = false

    @Option(
        name: .customLong("print-frame"),
        help: """
            Print one screen of this size, such as 120x40, after the time of --for (5 s unless \
            given), in place of a dashboard.
            """
    )
    var frameSize: FrameSizeArgument?

    @Option(
        name: .customLong("frame-keys"),
        help: """
            Press these keys before the screen is printed, such as "3 Enter"; keys that act on a \
            session are not possible.
            """
    )
    var frameKeys: KeySequenceArgument?

    @Option(
        name: .customLong("frame-format"),
        help: "The format of a printed screen (default: text)."
    )
    var frameFormat: FrameFormat?

    /// Ends the program abnormally, to test in which state it leaves the terminal.
    @Option(name: .customLong("end-by"), help: .hidden)
    var abruptEnd: AbruptEnd?

    var wantsScreen: Bool { !json && frameSize == nil && StandardOutput.isTerminal }

    /// Returns the defaults of the screen from the configuration file, if a screen is drawn.
    func defaults(in environment: LiveEnvironment) throws -> ScreenDefaults {
        guard wantsScreen || frameSize != nil else { return ScreenDefaults() }
        return try environment.screenDefaults(appearance)
    }

    /// Returns what tells programs, webhooks and the terminal of events, as the configuration file
    /// says, or `nil` if nothing is to be told.
    func notifier(in environment: LiveEnvironment) throws -> Notifier? {
        try Notifier(
            environment.userConfiguration().notifications,
            hasScreen: wantsScreen,
            in: environment
        )
    }

    func validate() throws {
        guard frameSize == nil || !json else {
            throw ValidationError("--json and --print-frame exclude each other.")
        }
        let isPrinted = frameSize != nil
        guard isPrinted || frameKeys == nil, isPrinted || frameFormat == nil else {
            let option = frameKeys == nil ? "--frame-format" : "--frame-keys"
            throw ValidationError(
                "\(option) is for a printed screen: add --print-frame"
            )
        }
    }
}

enum FrameFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// The characters, without colors.
    case text
    /// A picture for documents.
    case svg
}

/// Names of keys, separated by spaces, such as `3 j Enter`.
struct KeySequenceArgument: ExpressibleByArgument, Sendable, Hashable {
    let keys: [Key]

    init?(argument: String) {
        keys = argument.parts(at: " ").compactMap { KeyText.key(named: String($0)) }
        guard keys.count == argument.parts(at: " ").count else { return nil }
    }
}

/// The size of a screen, such as `120x40`: columns, then rows.
struct FrameSizeArgument: ExpressibleByArgument, Sendable, Hashable {
    let columns: Int
    let rows: Int

    init?(argument: String) {
        let parts = argument.parts(at: "x", keepsEmpty: true).map { Int($0) }
        guard parts.count == 2, let columns = parts[0], let rows = parts[1],
            (1...500).contains(columns), (1...500).contains(rows)
        else { return nil }
        self.columns = columns
        self.rows = rows
    }
}

/// The appearance of a screen.
struct AppearanceOptions: ParsableArguments {
    @Flag(help: "Draw with ASCII characters only.")
    var ascii = false

    @Flag(name: .customLong("no-color"), help: "Use no colors; NO_COLOR has the same effect.")
    var noColor = false

    @Flag(name: .customLong("light"), help: "Use colors for a light background.")
    var isLight = false

    @Option(help: "The theme: dark, light, plain, or one of your own.")
    var theme: String?

    /// The name of the theme that is chosen, or `nil` for that of the configuration file.
    var themeName: String? { theme ?? (isLight ? Theme.light.name : nil) }
}

extension DashboardConfiguration {
    /// Creates the configuration of a dashboard.
    ///
    /// - Parameters:
    ///   - appearance: The options of the command line, which have precedence.
    ///   - defaults: The defaults of the configuration file.
    ///   - hasColor: Whether the output can show colors.
    ///   - isUTF8: Whether the output can show more than ASCII.
    ///   - environment: The environment.
    ///   - ringsAtEnd: Whether the bell was requested.
    ///   - lockAfter: The seconds without a key press after which the screen locks.
    ///   - isReadOnly: Whether no key acts on a session or its backend.
    ///   - proxy: The addresses of the proxy whose traffic is shown.
    init(
        _ appearance: AppearanceOptions,
        defaults: ScreenDefaults,
        hasColor: Bool,
        isUTF8: Bool,
        in environment: LiveEnvironment,
        ringsAtEnd: Bool = false,
        lockAfter: Double? = nil,
        isReadOnly: Bool = false,
        proxy: ProxyRoutes? = nil
    ) {
        let wantsColor = !appearance.noColor && (environment.variables["NO_COLOR"] ?? "").isEmpty
        self.init(
            utcOffsetSeconds: defaults.utcOffsetSeconds(in: environment),
            theme: defaults.theme,
            themes: defaults.themes,
            followsGround: defaults.followsGround,
            hasColor: wantsColor && hasColor,
            isASCII: appearance.ascii || defaults.isASCII || !isUTF8,
            ringsAtEnd: ringsAtEnd || defaults.rings,
            keys: defaults.keys,
            lockAfter: lockAfter,
            isReadOnly: isReadOnly,
            proxy: proxy
        )
    }
}

enum AbruptEnd: String, ExpressibleByArgument, CaseIterable, Sendable {
    case crash
    case error
}
