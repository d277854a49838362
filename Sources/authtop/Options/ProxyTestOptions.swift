import ArgumentParser
import Model
import Observer

/// What a run of tests is judged by, and experiments with the app.
struct ProxyTestOptions: ParsableArguments {
    @Option(
        name: .customLong("fail-on"),
        help: ArgumentHelp(
            """
            What makes the run fail: bugs (those that are certain), none, or names of rules, \
            comma-separated; by default bugs with --exec, and otherwise none.
            """,
            valueName: "rules"
        ),
        completion: .commaSeparated(["bugs", "none"] + FindingRule.all.map(\.name))
    )
    var failOn: String?

    @Option(
        help: ArgumentHelp(
            "Known findings, which do not make the run fail: a rule and a path a line.",
            valueName: "file"
        ),
        completion: .file()
    )
    var accept: String?

    @OptionGroup var reports: ReportFileOptions

    @Option(
        help: ArgumentHelp(
            """
            Answer a test suite's requests on this port of 127.0.0.1, 0 being any that is free: \
            GET /state, /findings, /sessions; POST /faults, /mark, /reset. AUTHTOP_CONTROL_URL has \
            the address for --exec.
            """,
            valueName: "port"
        )
    )
    var control: Int?

    @Option(
        help: ArgumentHelp(
            """
            Begin an experiment with the app, at once or after a time; may be repeated: \
            short-life:20, expire, lose-answer@30s … (authtop proxy explain).
            """,
            valueName: "name[@after]"
        ),
        completion: .list(Fault.ofApp.map(\.name))
    )
    var fault: [String] = []

    func validate() throws {
        try ListeningPort.check(control, of: "--control")
    }
}
