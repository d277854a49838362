import ArgumentParser
import Dashboard
import Dialects
import Timekeeping
import Tokens

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Take a token apart: claims, times in words, what is odd, its signature.",
        discussion: """
            The token comes from stdin, or is asked for without an echo; never from an argument, \
            which would show in ps. It is not printed.

            Exit codes: 0 done, 1 malformed or not signed by the keys, 2 bad input, 3 keys not \
            reachable.
            """
    )

    /// Only `-`, which says what is so anyway.
    @Argument(help: .hidden)
    var place = "-"

    @Option(
        help: "Public keys that must have signed it, as a URL or a file.",
        completion: .file()
    )
    var jwks: String?

    @Option(
        name: .customLong("ca-file"),
        help: "Certificates (PEM) to trust besides the system's.",
        completion: .certificates
    )
    var caFile: String?

    @Flag(help: "Print one JSON object instead.")
    var json = false

    func run() async throws {
        guard place == "-" else {
            throw CommandFailure(
                .badInput,
                "a token in an argument shows in ps and in the shell's history: give it on stdin, "
                    + "or run authtop inspect and paste it"
            )
        }
        let environment = LiveEnvironment()
        let text = try ImportSource(limit: PastedPair.sizeLimit)
            .textOfInput(asking: "Token: ", isOneLine: true)
        let secret = Secret(PastedPair.bare(text))
        guard !secret.isEmpty else { throw CommandFailure(.badInput, "no token was given") }
        let decoded = DecodedToken(of: secret)
        var verdict: SignatureCheck.Verdict?
        var skipped: [String] = []
        if let jwks, case .webToken(let token) = decoded {
            let keys = try await KeySource(place: jwks).keys(in: environment, caFile: caFile)
            verdict = await keys.verdict(on: secret, token)
            skipped = keys.skipped
        }
        let inspection = Inspection(
            fingerprint: environment.fingerprinter().fingerprint(of: secret),
            byteCount: secret.byteCount,
            decoded: decoded,
            verdict: verdict,
            skippedKeys: skipped,
            now: environment.time.wall,
            clock: ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
        )
        let lines = json ? [inspection.json] : inspection.lines
        for line in lines where !StandardOutput.write(line) { return }
        guard inspection.isSound else { throw ExitCode(CommandFailure.Exit.notSo.rawValue) }
    }
}
