import ArgumentParser
import Basics
import Model
import Platform
import Profiles

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Send the requests of other programs with the stored session's token.",
        usage: "authtop serve [<options>] <profile>",
        discussion: """
            A local address stands in for the backend: each request that comes to it is sent with \
            the current access token, which is renewed ahead of its end, together with any watch \
            of the same session. A request that is refused for its token is sent once more with \
            another one if its body is at most 1 MiB; a WebSocket is dialed with the token. \
            Without a session, it logs in if the credentials are available without asking.

            authtop serve acme --port 9000 & curl http://127.0.0.1:9000/me

            Only programs of the same user can use it, and no pages in a browser. The events are \
            printed as JSON lines without a terminal.

            Exit codes: 128 + n ended by signal n, 1 the session ended or there was none, 2 bad \
            input, 3 not reachable.
            """
    )

    @OptionGroup var options: OperationOptions

    @Option(
        help: ArgumentHelp(
            "The address to send requests to; default: the profile's base URL.",
            valueName: "url"
        )
    )
    var to: String?

    @Option(help: "The port of 127.0.0.1 to listen on; 0 chooses a free one, which is the default.")
    var port: Int?

    @Option(
        help: ArgumentHelp(
            "Listen at a Unix socket of mode 0600 in place of a port.",
            valueName: "path"
        ),
        completion: .file()
    )
    var socket: String?

    @Option(
        name: .customLong("allow-origin"),
        help: ArgumentHelp(
            "An origin whose pages may use the session, such as http://localhost:3000; repeatable.",
            valueName: "origin"
        )
    )
    var allowedOrigins: [String] = []

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "Another allowed name in the Host header of requests; repeatable.",
            valueName: "name"
        )
    )
    var allowedHosts: [String] = []

    @Flag(
        name: .customLong("allow-other-users"),
        help: "Let programs of every user of this machine use the session."
    )
    var allowsOtherUsers = false

    @Flag(help: "Print the events as JSON lines on a terminal as well.")
    var json = false

    @OptionGroup(title: "Monitoring") var monitoring: MonitorOptions

    func validate() throws {
        try ListeningPort.check(port, of: "--port")
        try RequestHost.checkAllowed(allowedHosts)
        guard socket == nil || port == nil else {
            throw ValidationError("--socket takes the place of --port: leave out one of them")
        }
        guard socket != "" else { throw ValidationError("--socket: expected a path") }
    }

    func run() async throws {
        var run = try await options.run(
            printsEvents: json || !StandardOutput.isTerminal,
            isLasting: true
        )
        let chosen = run.chosen
        guard chosen.dialect.carriesTokenOutsideBody else {
            throw CommandFailure(
                .badInput,
                "serve: \(chosen.name) sends its access token in the body of requests, which is not "
                    + "changed"
            )
        }
        let origin = try origin(instead: chosen.origin)
        if origin.withoutPath != chosen.origin.withoutPath {
            StandardError.write(
                "authtop: the tokens of \(chosen.name) are sent to \(origin), as --to says"
            )
        }
        run.monitor = try monitoring.monitor(
            of: [(SessionID(chosen.name), chosen.name)],
            in: run.environment
        )
        let server = SessionServer(
            run,
            origin: origin,
            port: port ?? 0,
            socketPath: socket,
            pages: try pages(),
            allowedHosts: allowedHosts,
            allowsOtherUsers: allowsOtherUsers
        )
        try await run.monitor?.start(isTold: true)
        try await run.serve(server)
    }

    private func origin(instead base: BackendOrigin) throws(CommandFailure) -> BackendOrigin {
        guard let to else { return base }
        do throws(BackendOriginError) {
            return try BackendOrigin(
                parsing: to,
                allowInsecure: options.profile.connection.allowsInsecure
            )
        } catch {
            throw CommandFailure(.badInput, "--to: \(error.description)")
        }
    }

    private func pages() throws(CommandFailure) -> [BackendOrigin] {
        try allowedOrigins.map { text throws(CommandFailure) in
            do throws(BackendOriginError) {
                let origin = try BackendOrigin(parsing: text, allowInsecure: true)
                if origin == origin.withoutPath { return origin }
            } catch {
                throw CommandFailure(.badInput, "--allow-origin: \(error.description)")
            }
            throw CommandFailure(
                .badInput,
                "--allow-origin \(text.inOneLine(limit: 80)): an origin has no path: leave it out"
            )
        }
    }
}
