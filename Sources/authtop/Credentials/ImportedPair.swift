import Basics
import FoundationEssentials
import Glibc
import Profiles
import UI

/// A pair of tokens that the user imports, to be watched from now on.
struct ImportedPair {
    let profile: String
    let pair: PastedPair
    let moment: Moment
    let fingerprinter: Fingerprinter
    let clock: ClockFormatter

    /// Reads the argument of `--import`.
    ///
    /// - Parameters:
    ///   - place: `-` for stdin, or a file.
    ///   - chosen: The profile of the tokens.
    ///   - environment: The environment.
    /// - Throws: `CommandFailure`, which quotes no part of the input.
    init(from place: String, for chosen: ChosenProfile, in environment: LiveEnvironment) throws {
        let source = ImportSource(limit: PastedPair.sizeLimit)
        let text =
            place == "-"
            ? try source.textOfInput(
                asking: "Paste the pair for \(chosen.name) (JSON, or two lines), then Ctrl-D: ",
                isOneLine: false
            ) : try source.text(ofFile: place)
        do throws(PastedPair.Problem) {
            pair = try PastedPair(parsing: text, by: chosen.dialect)
        } catch {
            throw CommandFailure(.badInput, "--import \(place): \(error.description)")
        }
        profile = chosen.name
        moment = environment.time.moment
        fingerprinter = environment.fingerprinter()
        clock = ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
    }

    /// Remarks for the user about a valid pair.
    var remarks: [String] {
        var remarks: [String] = []
        if pair.hasLifetime {
            remarks.append(
                "a lifetime such as expires_in is ignored, because its start is unknown: only "
                    + "JWT exp and absolute times count"
            )
        }
        if !isOver(access), let message = end(of: refresh, named: "refresh token") {
            remarks.append("\(message): the session ends with the access token")
        }
        return remarks
    }

    /// Fails if neither token is valid any more.
    func check() throws {
        guard let accessText = end(of: access, named: "access token") else { return }
        guard let refresh else {
            throw CommandFailure(
                .notSo,
                "\(profile): \(accessText), and there is no refresh token"
            )
        }
        guard let refreshText = end(of: refresh, named: "refresh token") else { return }
        throw CommandFailure(.notSo, "\(profile): \(refreshText); \(accessText)")
    }

    private typealias Part = (secret: Secret, evidence: [ExpiryEvidence])

    private var access: Part? { (pair.tokens.access.secret, pair.tokens.accessEvidence) }

    private var refresh: Part? {
        pair.tokens.refresh.map { ($0.secret, pair.tokens.refreshEvidence) }
    }

    private func isOver(_ part: Part?) -> Bool { end(of: part, named: "") != nil }

    /// Returns, for example, `refresh token ‹…› expired 3 h 2 m ago, at 14:02:11 (JWT exp)`, or
    /// `nil` if the token may be valid.
    private func end(of part: Part?, named name: String) -> String? {
        guard let part,
            let expiry = Expiry.weighing(part.evidence, sentAt: moment.wall, offset: nil),
            !expiry.isAssumed, expiry.seconds <= 0
        else { return nil }
        let fingerprint = fingerprinter.fingerprint(of: part.secret)
        let ago = DurationFormatter.long(-expiry.seconds)
        let time = clock.when(moment.wall.addingTimeInterval(expiry.seconds), now: moment.wall)
        let source = ExpiryText.source(expiry.source)
        return "\(name) \(fingerprint) expired \(ago) ago, at \(time) (\(source))"
    }
}

/// Reads tokens of the user from a private file, a pipe, or the terminal without echo.
struct ImportSource {
    /// The maximum size in bytes.
    let limit: Int

    /// Reads a file of mode 0600.
    func text(ofFile path: String) throws -> String {
        try CredentialFile(path: path).contents(limit: limit)
    }

    /// Reads stdin to its end, or prompts on the terminal.
    ///
    /// - Parameters:
    ///   - question: The prompt on the terminal.
    ///   - isOneLine: Whether a line break ends the input there, or only Ctrl-D.
    /// - Returns: The whole input.
    /// - Throws: `CommandFailure` if the input is too large, or cannot be read.
    func textOfInput(asking question: String, isOneLine: Bool) throws -> String {
        guard StandardInput.isTerminal else { return try piped() }
        guard let prompt = TerminalPrompt(),
            let text = prompt.paste(question, isOneLine: isOneLine, limit: limit)
        else { throw CommandFailure(.badInput, "nothing was given") }
        return text
    }

    private func piped() throws -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = read(STDIN_FILENO, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(.badInput, "stdin: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part.prefix(count)
        }
        throw CommandFailure(.badInput, "stdin: over \(limit / 1024) KiB, expected a few lines")
    }
}
