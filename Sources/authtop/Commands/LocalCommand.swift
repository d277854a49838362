import ArgumentParser
import Basics
import FoundationEssentials
import Platform
import Profiles
import Stores
import UI

struct LocalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "local",
        abstract: "Show the sessions that programs have stored on this machine.",
        usage: "authtop local [<options>] [<store> ...]",
        discussion: """
            The stores of CLIs, SDKs and agents are read, and nothing is written, sent or renewed. \
            Of a token, only its fingerprint is kept. Without a terminal, a table is printed.

            More stores are files in stores/ of the configuration folder.

            --format takes \(SessionTemplate.fieldNames); with --first, as for a prompt: \
            authtop local --first --format '{name} {left}'

            Exit codes: 0 done, 1 a session has ended, 2 bad input.
            """
    )

    @Argument(
        help: ArgumentHelp("Only these stores, such as aws-sso.", valueName: "store")
    )
    var stores: [String] = []

    @Flag(help: "Print one JSON object for each session.")
    var json = false

    @Option(help: ArgumentHelp("Print each session in this form.", valueName: "text"))
    var format: String?

    @Flag(help: "Only the session that ends first.")
    var first = false

    @Option(
        name: .customLong("print-frame"),
        help: "Print one screen of this size, such as 120x40, in place of showing it."
    )
    var frameSize: FrameSizeArgument?

    @OptionGroup var appearance: AppearanceOptions

    func validate() throws {
        guard !json || format == nil else {
            throw ValidationError("--json and --format exclude each other.")
        }
    }

    func run() async throws {
        let environment = LiveEnvironment()
        let definitions = try environment.stores(named: stores)
        let template = try format.map(SessionTemplate.init)
        let run = LocalRun(
            definitions,
            on: try ConnectionOptions.parse([]),
            includesOwn: stores.isEmpty,
            in: environment
        )
        if json || template != nil || frameSize != nil || !StandardOutput.isTerminal {
            try await run.print(
                json ? .json : template.map(LocalRun.Form.template) ?? .table,
                isFirstOnly: first,
                frame: frameSize,
                appearance
            )
            return
        }
        try await run.show(appearance) { profile, baseURL in
            var command = try WatchCommand.parse([profile])
            command.connection.baseURL = baseURL
            return try await command.watch()
        }
    }
}

extension LiveEnvironment {
    /// The definitions of stores: those that are part of the program, and the user's, of which one with
    /// the same name replaces one of them.
    ///
    /// - Parameter names: Those that are wanted; all, if there are none.
    /// - Returns: The definitions, in alphabetical order.
    /// - Throws: `CommandFailure` with the file, the line and the key of a mistake; for a name that
    ///   there is not.
    func stores(named names: [String]) throws -> [StoreDefinition] {
        var all = Dictionary(uniqueKeysWithValues: StoreDefinition.builtIn.map { ($0.name, $0) })
        for definition in try catalogue.stores() { all[definition.name] = definition }
        for name in names where all[name] == nil {
            let nearest = NearestKey.of(name, among: Array(all.keys))
            let hint = nearest.map { "; did you mean \($0)?" } ?? ""
            throw CommandFailure(
                .badInput,
                "there is no store \"\(name.inOneLine(limit: 60))\": expected one of "
                    + all.keys.sorted().joined(separator: ", ") + hint
            )
        }
        return all.values.filter { names.isEmpty || names.contains($0.name) }
            .sorted { $0.name < $1.name }
    }
}
