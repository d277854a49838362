import ArgumentParser
import Basics
import Glibc
import Profiles
import UI

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Decode a token: its claims, times, irregularities and signature.",
        usage: "authtop inspect [<options>]",
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
        help: "The keys to verify the signature with: a URL or file of a JWKS, JWK or PEM.",
        completion: .file()
    )
    var jwks: String?

    @Flag(help: "Ask for the shared secret of HS256, HS384 or HS512.")
    var secretPrompt = false

    @OptionGroup var trust: TrustOptions

    @Flag(help: "Print one JSON object instead.")
    var json = false

    func run() async throws {
        guard place == "-" else { throw Self.refusal(of: place) }
        let environment = LiveEnvironment()
        let text = try ImportSource(limit: PastedPair.sizeLimit)
            .textOfInput(asking: "Token: ", isOneLine: true)
        let secret = Secret(PastedPair.bare(text))
        guard !secret.isEmpty else { throw CommandFailure(.badInput, "no token was given") }
        let inspection = await inspection(
            of: secret,
            DecodedToken(of: secret),
            by: try await keys(in: environment),
            in: environment
        )
        let lines = json ? [inspection.json] : inspection.lines
        for line in lines where !StandardOutput.write(line) { break }
        guard inspection.isSound else { throw ExitCode(CommandFailure.Exit.notSo.rawValue) }
    }

    /// Says what to do in place of an argument, which is repeated only if it is a file.
    private static func refusal(of place: String) -> CommandFailure {
        guard access(place, F_OK) == 0 else {
            return CommandFailure(
                .badInput,
                "a token in an argument is visible in ps and in the shell's history: pass it on stdin, "
                    + "or run authtop inspect and paste it"
            )
        }
        let file = place.inOneLine(limit: 200)
        return CommandFailure(
            .badInput,
            "\(file) is a file: authtop inspect < \(file) reads a token from it, and authtop replay "
                + "\(file) a recording or an HTTP archive (HAR)"
        )
    }

    /// Returns the keys that the options name, or `nil` if they name none.
    private func keys(in environment: LiveEnvironment) async throws -> SignatureCheck? {
        var keys: SignatureCheck?
        if let jwks {
            keys = try await KeySource(place: jwks).keys(in: environment, caFile: trust.caFile)
        }
        guard secretPrompt else { return keys }
        guard let text = TerminalPrompt()?.ask("Secret: ", isSecret: true), !text.isEmpty else {
            throw CommandFailure(
                .badInput,
                "--secret-prompt: no secret was typed on a terminal; --jwks FILE takes one as a JWK "
                    + "of type oct"
            )
        }
        let secret = SignatureCheck(secret: Secret(text))
        keys?.append(secret)
        return keys ?? secret
    }

    private func inspection(
        of secret: Secret,
        _ decoded: DecodedToken,
        by keys: SignatureCheck?,
        in environment: LiveEnvironment
    ) async -> Inspection {
        var verdict: SignatureCheck.Verdict?
        var nested: [Inspection] = []
        if case .signed(let token) = decoded {
            verdict = await keys?.verdict(on: token)
            // No key makes it valid.
            if keys == nil, let fault = token.criticalFault { verdict = .invalid(fault) }
            if case .token(let inner, let text) = token.payload {
                nested = [await inspection(of: text, inner, by: keys, in: environment)]
            }
        }
        return Inspection(
            fingerprint: environment.fingerprinter().fingerprint(of: secret),
            byteCount: secret.byteCount,
            decoded: decoded,
            verdict: verdict,
            skippedKeys: keys?.skipped ?? [],
            keyRemarks: keys?.remarks ?? [],
            nested: nested,
            now: environment.time.wall,
            clock: ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
        )
    }
}
