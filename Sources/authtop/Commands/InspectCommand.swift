import ArgumentParser
import Basics
import Profiles
import UI

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Decode a token: its claims, times, irregularities and signature.",
        discussion: """
            The token is read from stdin or from a hidden prompt, never from an argument, \
            which would be visible in ps. It is not printed.

            Exit codes: 0 done, 1 malformed or not signed by the keys, 2 bad input, 3 keys not \
            reachable.
            """
    )

    /// Only `-`, which is the default.
    @Argument(help: .hidden)
    var place = "-"

    @Option(
        help: "The public keys to verify the signature with, as a URL or a file.",
        completion: .file()
    )
    var jwks: String?

    @OptionGroup var trust: TrustOptions

    @Flag(help: "Print one JSON object instead.")
    var json = false

    func run() async throws {
        guard place == "-" else {
            throw CommandFailure(
                .badInput,
                "a token in an argument is visible in ps and in the shell's history: pass it on stdin, "
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
            let keys = try await KeySource(place: jwks).keys(in: environment, caFile: trust.caFile)
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
        for line in lines where !StandardOutput.write(line) { break }
        guard inspection.isSound else { throw ExitCode(CommandFailure.Exit.notSo.rawValue) }
    }
}
