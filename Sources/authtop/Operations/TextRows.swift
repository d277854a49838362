import Basics
import Client
import Model
import Profiles
import UI

/// Lines with a label and a text in two aligned columns, for a width of 80.
struct TextRows {
    static let labelWidth = 11
    static let textWidth = 66

    private(set) var lines: [String] = []

    /// Adds a row, wrapped if necessary; a row without a label continues the previous one.
    mutating func add(_ label: String, _ text: String) {
        var label = label
        var line = ""
        for word in text.parts(at: " ") {
            if !line.isEmpty, line.count + 1 + word.count > Self.textWidth {
                append(label, line)
                label = ""
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        append(label, line)
    }

    private mutating func append(_ label: String, _ text: String) {
        lines.append("  \(label.padded(to: Self.labelWidth)) \(text)")
    }
}

/// The held pair, in lines for the user.
struct PairRows {
    let session: SessionSnapshot
    let moment: Moment
    let clock: ClockFormatter

    /// Adds the rows, or nothing if no pair is held.
    func add(to rows: inout TextRows) {
        guard let current = session.current else { return }
        let pair = current.pair
        if let user = pair.statements.user { rows.add("user", user) }
        rows.add("generation", "\(current.generation)")
        for (number, detail) in pair.statements.account.enumerated() {
            rows.add(number == 0 ? "account" : "", "\(detail.name): \(detail.value)")
        }
        if let access = pair.access { add("access", access, pair.accessExpiry, to: &rows) }
        addProfile(.access, pair, to: &rows)
        if let plan = session.renewalPlan { rows.add("renewal", text(plan)) }
        let problem = session.refreshTokenProblem.map {
            "\(TokenText.name($0)): \(TokenText.consequence($0))"
        }
        if let refresh = pair.refresh {
            add("refresh", refresh, pair.refreshExpiry, to: &rows)
            addProfile(.refresh, pair, to: &rows)
            if let problem { rows.add("", problem) }
        } else if let problem {
            rows.add("refresh", problem)
        } else {
            rows.add("refresh", "no refresh token")
        }
    }

    private func addProfile(
        _ kind: TokenKind,
        _ pair: PairDescription,
        to rows: inout TextRows
    ) {
        let deadline = kind == .access ? pair.accessExpiry : pair.refreshExpiry
        guard let deadline,
            let lifetime = session.documentedLifetime(otherThanStatedOf: kind, pair)
        else { return }
        let life = ExpiryText.lifetime(deadline)
        rows.add("", "lives \(life), unlike the profile: \(DurationFormatter.long(lifetime))")
    }

    private func add(
        _ label: String,
        _ token: TokenDescription,
        _ deadline: Deadline?,
        to rows: inout TextRows
    ) {
        rows.add(label, "\(token.fingerprint) \(TokenText.format(token))")
        guard let deadline else { return rows.add("", "expiry unknown") }
        let verb = deadline.statedEnd > moment.now ? "expires" : "expired"
        let message = ExpiryText.source(deadline.expiry.source)
        let source = deadline.expiry.isAssumed ? message : "by \(message)"
        let mark = ExpiryText.endMark(deadline.expiry)
        rows.add("", "\(verb) \(mark)\(when(deadline.statedEnd)), \(source)")
    }

    private func text(_ plan: RenewalPlan) -> String {
        switch plan {
        case .scheduled(let instant, .accessTokenEnds): "due \(when(instant))"
        case .scheduled(let instant, _): "due \(when(instant)), \(CauseText().text(plan))"
        // The command does not run the renewal.
        case .underWay, .awaitsLock: "due now"
        case .held, .impossible: CauseText().text(plan)
        }
    }

    /// Returns, for example, `16:20:10, in 14 m 59 s`.
    private func when(_ instant: Instant) -> String {
        let seconds = instant.seconds(since: moment.now)
        let time = clock.when(moment.wallTime(at: instant), now: moment.wall)
        let length = DurationFormatter.long(abs(seconds))
        return seconds >= 0 ? "\(time), in \(length)" : "\(time), \(length) ago"
    }
}
