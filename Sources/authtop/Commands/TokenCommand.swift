import ArgumentParser
import Basics
import Profiles
import UI

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a valid access token of the stored session, and nothing else.",
        usage: "authtop token [<options>] <profile> [<operation>]",
        discussion: """
            The token is renewed first if that is due, together with any watch of the same session. \
            Without a session, it logs in if the credentials are available without asking.

            authtop token acme --header | curl -H @- https://api.example.com/me

            --format is the contract of the program that asks: json has the names of OAuth and the \
            end, exec-credential is for kubectl, aws for credential_process, gcloud for \
            executable-sourced credentials, and git for git, which adds the operation itself: \
            git config credential.helper '!authtop token acme --format git'

            --watch runs until the session ends, which removes the file. A renewal replaces the file \
            at once, so that a reader never finds a part of one.

            Exit codes: 0 printed, 1 signed out or refused, 2 bad input, 3 not reachable: the \
            session is kept.
            """
    )

    @OptionGroup var options: OperationOptions

    @Argument(
        help: ArgumentHelp("With --format git: what git asks for.", valueName: "operation"),
        completion: .list([TokenCommand.answered, "store", "erase"])
    )
    var operation: String?

    @Option(help: ArgumentHelp("The form of the token, plain if omitted.", valueName: "form"))
    var format: TokenForm?

    @Flag(help: "Print the request header that carries the token: --format header.")
    var header = false

    @Flag(name: .customLong("id-token"), help: "The ID token of the login instead.")
    var wantsIDToken = false

    @Option(
        help: ArgumentHelp("Keep this file fresh, of mode 0600, instead.", valueName: "file"),
        completion: .file()
    )
    var watch: String?

    @Flag(help: "Print it even on a terminal, where it stays readable.")
    var force = false

    /// The operation that git waits for an answer to; a helper ignores those that it does not know.
    private static let answered = "get"

    private var form: TokenForm { format ?? (header ? .header : .plain) }

    func validate() throws {
        guard !header || format == nil else {
            throw ValidationError("--header and --format exclude each other.")
        }
        guard operation == nil || form == .git else {
            throw ValidationError("An operation is for --format git only.")
        }
        guard watch == nil || form != .git else {
            throw ValidationError("--watch: --format git answers git, and is in no file.")
        }
        guard watch != "" else { throw ValidationError("--watch: expected the path of a file") }
    }

    func run() async throws {
        let isForGoogle = form == .gcloud && watch == nil
        // Google's libraries take what comes on standard error for a part of the answer.
        if isForGoogle { StandardError.silence() }
        do {
            try await answer()
        } catch let failure as CommandFailure where isForGoogle {
            // Google's libraries read the reason only if the program exits with 0.
            _ = StandardOutput.write(TokenContract.googleText(of: failure))
            StandardError.write("authtop: \(failure.message.visibleInOneLine)")
        }
    }

    private func answer() async throws {
        if let operation, operation != Self.answered { return }
        guard force || watch != nil || !StandardOutput.isTerminal else {
            throw CommandFailure(
                .badInput,
                "token: stdout is a terminal, where the token would stay readable: redirect it, use "
                    + "authtop exec, or add --force"
            )
        }
        let environment = LiveEnvironment()
        let kind = wantsIDToken ? FreshToken.Kind.id : .access
        let request = try operation.map { _ throws(CommandFailure) in try GitCredentialRequest() }
        let contract = try TokenContract(form, of: kind, in: environment.variables, for: request)
        let chosen = try await options.profile.storedProfile(in: environment)
        if let request, !request.isFor(chosen.origin) { return }
        try contract.check(chosen.dialect, chosen.name)
        let run = try await OperationRun(
            on: chosen,
            printsEvents: false,
            log: options.log,
            in: environment
        )
        if let watch { return try await run.keep(watch, with: kind, as: contract) }
        guard let token = try await run.token(kind) else { return }
        let text = try contract.text(of: token, chosen.name)
        for line in text.parts(at: "\n") where !StandardOutput.write(String(line)) { break }
    }
}

extension GitCredentialRequest {
    /// Reads what git writes to stdin.
    fileprivate init() throws(CommandFailure) {
        guard let text = StandardInput.paragraph(limit: Self.limit) else {
            throw CommandFailure(
                .badInput,
                "stdin: expected at most \(Self.limit >> 10) KiB of text from git"
            )
        }
        try self.init(parsing: text)
    }
}
