import Basics
package import FoundationEssentials
import Model
package import Stores

/// Stored sessions, their changes and what is wrong with them, in words.
package struct StoreText {
    private let clock: ClockFormatter
    private let home: String?

    /// - Parameters:
    ///   - clock: The zone of the times.
    ///   - home: The user's folder, which is written as `~`.
    package init(clock: ClockFormatter, home: String?) {
        self.clock = clock
        self.home = home
    }

    /// A path, with `~` for the user's folder.
    package func path(_ path: String) -> String {
        guard let home, let rest = path.part(after: home), rest.begins(with: "/") else {
            return path
        }
        return "~\(rest)"
    }

    package func when(_ date: Date, _ now: Date) -> String { clock.when(date, now: now) }

    // MARK: - Sessions

    package static func word(_ state: StoredSession.State) -> String {
        switch state {
        case .ended: "ended"
        case .ending: "ends soon"
        case .renewable: "renewable"
        case .live: "live"
        case .endless: "no end"
        case .keyring: "keyring"
        }
    }

    /// The meaning of the word of a state.
    static func meaning(_ state: StoredSession.State) -> String {
        switch state {
        case .ended: "nothing in the file is good any more"
        case .ending: "it ends within ten minutes, and nothing renews it"
        case .renewable: "the access token has ended, and what is stored brings the next"
        case .live: "the access token is good, or a refresh token brings the next"
        case .endless: "nothing says when it ends"
        case .keyring: "its tokens are in a keyring, which is not opened"
        }
    }

    static func symbol(_ state: StoredSession.State) -> StateSymbol {
        switch state {
        case .ended: .signedOut
        case .ending: .blocked
        case .renewable: .expired
        case .live, .endless: .fresh
        case .keyring: .cold
        }
    }

    static func style(_ state: StoredSession.State) -> Style {
        switch state {
        case .ended: .bad
        case .ending: .warning
        case .renewable: .busy
        case .live, .endless: .good
        case .keyring: .dim
        }
    }

    /// The rest of a session without a renewal: a time, `ended`, or `no end`; `nil` if it has no token
    /// and has not ended.
    package static func left(_ session: StoredSession, at now: Date) -> String? {
        guard let token = session.main ?? session.refresh else {
            return session.state(at: now) == .ended ? word(.ended) : nil
        }
        return left(token, at: now)
    }

    /// The rest of the life of a token: a time, `ended`, or `no end`; `≈` marks an end that nothing states,
    /// and `≤` one before which it may end.
    package static func left(_ token: StoredToken?, at now: Date) -> String? {
        guard let token else { return nil }
        guard let end = token.end else { return word(.endless) }
        let seconds = end.timeIntervalSince(now).rounded(.up)
        let mark = token.isLimit ? "≤" : ExpiryText.mark(token.isEndUncertain)
        return seconds > 0 ? mark + DurationFormatter.counting(seconds) : word(.ended)
    }

    /// The consequence of the end of a session.
    static func prospect(_ session: StoredSession, at now: Date) -> String {
        let state = session.state(at: now)
        let command = session.command.map { " (\($0))" } ?? ""
        switch state {
        case .endless: return "nothing in the file says when it ends"
        case .keyring: return Self.meaning(state)
        case .renewable:
            return session.renewal == .program || session.isRenewedFromElsewhere
                ? "\(session.title) renews it when it is used next"
                : "the refresh token can bring the next access token"
        case .ended: return "a new login is needed\(command)"
        case .ending: return "nothing renews it: a new login is needed then\(command)"
        case .live:
            if session.isRenewedFromElsewhere {
                return "then \(session.title) renews it when it is used"
            }
            guard let refresh = session.refresh else {
                return "then a new login is needed\(command)"
            }
            return refresh.isEnded(at: now)
                ? "the refresh token has ended: then a new login is needed\(command)"
                : "then the refresh token brings the next"
        }
    }

    // MARK: - Problems, changes and findings

    package static func text(_ problem: StoreProblem) -> String {
        switch problem {
        case .notARegularFile: "not a regular file: it is not read"
        case .tooLarge(let bytes): "\(bytes >> 20) MiB: files over 8 MiB are not read"
        case .unreadable(let reason): "cannot be read: \(reason)"
        case .notInFormat(let format): "not \(format.name), or over the limits"
        case .empty: "empty: what was in it is shown"
        }
    }

    func text(_ change: StoreChange, _ now: Date) -> Line {
        let time = Line("\(when(change.at, now))  ", .dim)
        let writer = Line(change.writer.map { "  by \($0)" } ?? "", .dim)
        switch change.kind {
        case .found: return time + Line("written; it was there at the start")
        case .appeared: return time + Line("appeared") + writer
        case .account(let old, let new):
            return time + Line("account: \(old ?? "none") → \(new ?? "none")", .warning) + writer
        case .token(let role, let old, let new, let age):
            let names = [old, new].map { fingerprint in
                fingerprint.map { Line($0.description, .identity) } ?? Line("none")
            }
            let remark =
                switch age {
                case .newer: Line()
                case .endsFirst: Line("  ends before that", .warning)
                case .returned: Line("  was there before", .warning)
                case .older: Line("  an older one", .bad)
                }
            return time + Line("\(role.rawValue) token: ") + names[0] + Line(" → ") + names[1]
                + remark + writer
        }
    }

    /// A finding in a sentence.
    package func text(
        _ finding: StoreFinding,
        in sessions: LocalSessions,
        at now: Date
    ) -> String {
        let about = finding.sessions.compactMap { sessions.entries[$0]?.session }
        let names = about.map(Self.name)
        let files = about.map { path($0.id.file) }
        let name = names.first ?? "a session"
        let (time, mode) =
            switch finding.measure {
            case .time(let date): (DurationFormatter.long(abs(date.timeIntervalSince(now))), "")
            case .mode(let mode): ("", "mode 0\(String(mode, radix: 8))")
            case nil: ("", "")
            }
        switch finding.rule {
        case .sharedRefreshToken:
            let places = names == Array(repeating: name, count: names.count) ? files : names
            let list = places.formattedList
            return finding.severity == .bug
                ? "one refresh token, which can be used once, is at \(names.count) places: \(list)"
                : "one refresh token is at \(names.count) places: \(list)"
        case .olderPair:
            return finding.confidence == .certain
                ? "\(name): an older token was written over a newer one"
                : "\(name): renewed twice at once, and what was written last ends first"
        case .returnedToken: return "\(name): a token that had been replaced is there again"
        case .statedEnd:
            return "\(name): the token ended \(time) ago, although the file says that it has not"
        case .readableFile:
            let file = files.first ?? "a file"
            return finding.severity == .risk
                ? "\(mode) of \(file): other users of this machine can read it"
                : "\(mode) of \(file): only a folder above it keeps other users out"
        case .clock:
            return "\(name): its token was issued \(time) ahead of this machine's clock"
        case .notYetValid:
            return "\(name): its token is not valid yet: only in \(time), by this machine's clock"
        case .unrenewed:
            return "\(name): ends in \(time), and nothing renews it"
        }
    }

    /// A finding with its mark.
    func line(_ finding: StoreFinding, in sessions: LocalSessions, at now: Date) -> Line {
        Line(" \(FindingText.symbol(finding.severity)) ", FindingText.style(finding.severity))
            + sentence(finding, in: sessions, at: now)
    }

    /// A finding with how sure it is.
    func sentence(_ finding: StoreFinding, in sessions: LocalSessions, at now: Date) -> Line {
        let likely = finding.confidence == .likely ? Line(" (likely)", .dim) : Line()
        return Line(text(finding, in: sessions, at: now)) + likely
    }

    /// The remedy for a finding.
    package func remedy(_ finding: StoreFinding, in sessions: LocalSessions) -> String {
        let about = finding.sessions.compactMap { sessions.entries[$0]?.session }
        let command = about.first?.command
        switch finding.rule {
        case .sharedRefreshToken:
            return switch finding.severity {
            case .bug:
                "log in with each program on its own: the first that renews ends the other's session"
            case .risk:
                "if the server gives a new refresh token at each use, log in with each on its own"
            case .note:
                "nothing, unless one must not end with the other: a logout may end both"
            }
        case .olderPair:
            return "two programs write this file: each must read it again before it writes"
        case .returnedToken:
            return
                "unless you have gone back to it, two programs write this file: each must read it "
                + "again before it writes"
        case .statedEnd:
            return "trust the token's own exp, or the clock of the one that wrote the file is wrong"
        case .readableFile:
            return "chmod 600 \(ShellWord.quoted(about.first?.id.file ?? ""))"
        case .clock:
            return "compare this machine's clock: timedatectl, or date beside a server's Date"
        case .notYetValid:
            return "wait until then; if it should be valid now, compare this machine's clock"
        case .unrenewed: return command.map { "log in again: \($0)" } ?? "log in again"
        }
    }

    static func name(_ session: StoredSession) -> String {
        session.account.map { "\(session.title) \($0)" } ?? session.title
    }
}

extension StoreFiles.Format {
    fileprivate var name: String {
        switch self {
        case .json: "JSON"
        case .yaml: "YAML"
        case .toml: "TOML"
        case .ini: "an INI file"
        case .sqlite: "a SQLite database"
        case .netrc: "a netrc file"
        case .plain: "a text"
        case .urls: "URLs"
        }
    }
}

extension [String] {
    /// `a and b`, `a, b and 3 more`.
    fileprivate var formattedList: String {
        switch count {
        case 0...1: first ?? ""
        case 2: "\(self[0]) and \(self[1])"
        default: "\(self[0]), \(self[1]) and \(count - 2) more"
        }
    }
}
