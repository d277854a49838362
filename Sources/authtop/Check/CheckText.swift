import Basics
import Observer
import Profiles
import UI

/// The report of a check, for a user.
struct CheckText {
    let report: CheckReport
    let showsExchanges: Bool

    /// The lines, the policy first.
    var lines: [String] {
        var rows = CheckRows()
        rows.add("policy", Self.name(report.policy))
        let notes = [
            Self.meaning(report.policy, watchesWindow: report.watchesWindow),
            Self.note(report.policy), Self.end(report.policy.windowEnd),
        ]
        for note in notes.compactMap(\.self) { rows.add("", note) }
        if !report.policy.evidence.isEmpty {
            rows.add("", "evidence: exchanges \(Self.numbers(report.policy.evidence))")
        }
        for probe in report.probes { add(probe, to: &rows) }
        rows.add("sent", sent)
        var lines = rows.lines
        let shown =
            showsExchanges
            ? report.exchanges
            : report.exchanges.filter { report.policy.evidence.contains($0.number) }
        if !shown.isEmpty { lines.append("exchanges") }
        lines += shown.map(ExchangeText.line)
        return lines
    }

    private func add(_ probe: ProbeResult, to rows: inout CheckRows) {
        for (number, text) in Self.found(probe).enumerated() {
            rows.add(number == 0 ? probe.name.rawValue : "", text)
        }
    }

    /// The findings of a probe, as sentences.
    static func found(_ probe: ProbeResult) -> [String] {
        switch probe.state {
        case .skipped(let reason): ["not run: \(text(reason))"]
        case .inconclusive(let answer):
            ["inconclusive" + (answer.map { ": \(ExchangeText.text($0))" } ?? "")]
        case .done where probe.verdicts.isEmpty && probe.name == .reach:
            ["reachable; its answer has no Date that can be read"]
        case .done where probe.verdicts.isEmpty:
            [
                "counts for the policy, by "
                    + CountFormatter.count(probe.evidence.count, "exchange")
            ]
        case .done: probe.verdicts.map(VerdictText.text)
        }
    }

    private var sent: String {
        let sent = report.sent
        let failures =
            report.failures == 0
            ? "" : ", \(report.failures) of which were repeated (answer lost or not usable)"
        let (requests, parts) = Self.counts(sent)
        return "\(requests)\(failures): \(parts.joined(separator: ", "))\(sessions)"
    }

    /// `12 requests`, and `3 logins` and `5 refreshes`, which are among them.
    private static func counts(_ cost: ProbeCost) -> (all: String, parts: [String]) {
        let parts = [
            CountFormatter.count(cost.logins, "login"),
            CountFormatter.count(cost.refreshes, "refresh", plural: "refreshes"),
        ]
        return (CountFormatter.count(cost.requests, "request"), parts)
    }

    private var sessions: String {
        let sessions = report.sessions
        let verb = sessions.left == 1 ? "is" : "are"
        let left =
            sessions.left == 0
            ? "" : "; \(sessions.left) of its own sessions \(verb) left to expire"
        return sessions.ended == 0 ? left : "; \(sessions.ended) logouts of its own sessions\(left)"
    }

    /// The plan of a check, before it begins.
    static func plan(_ plan: CheckPlan, of dialect: Dialect) -> String {
        let endsOthers =
            dialect.logoutScopes.contains(.everywhere)
            && plan.probes.contains { $0.name.endsOtherSessions && $0.cost.requests > 0 }
        let (requests, parts) = counts(plan.total)
        return "at most \(parts.joined(separator: ", ")) and \(requests) in about "
            + "\(DurationText.text(plan.seconds.rounded(.up))); the sessions that it starts are used up, logged out or left to expire"
            + (endsOthers ? "; logout-all ends every session of the user, the stored one too" : "")
    }

    static func line(_ outcome: CheckRequirements.Outcome) -> String {
        switch outcome.outcome {
        case .holds: "holds: \(outcome.name)"
        case .fails: "does not hold: \(outcome.name)"
        case .unknown: "not decided: \(outcome.name)"
        case .notTestable:
            "not testable: \(outcome.name)" + (outcome.reason.map { ": \(text($0))" } ?? "")
        }
    }

    static func text(_ reason: UntestableReason) -> String {
        switch reason {
        case .app: "it is the app's part"
        case .appAfterLostAnswer: "it is the app's part; the backend's is what lost shows"
        case .outlivesCheck: "a refresh token outlives the check, and the rest is the app's part"
        case .noEndpoint: "the guide has no endpoint for it"
        }
    }

    private static func numbers(_ numbers: [Int]) -> String {
        numbers.map { String($0) }.joined(separator: ", ")
    }

    static func text(_ reason: SkipReason) -> String {
        switch reason {
        case .notInProfile: "the profile has no such request"
        case .notRotated: "the refresh token is never replaced"
        case .noWindow: "no time limit is involved, or there is nothing to wait for"
        case .livesTooLong: "the access token outlives the check, or its life is not stated"
        case .noRefreshToken: "there is no refresh token"
        case .refreshRefused: "a refresh token is refused at its first use"
        case .tooManySessions: "it needs more sessions than --families allows"
        }
    }
}

/// The policy in words.
extension CheckText {
    static func name(_ policy: PolicyFinding) -> String {
        let window = policy.window.map {
            $0.high == nil || policy.verdict?.isGrace == true || policy.verdict == .singleUse
                ? Self.window($0) : ""
        }
        let suffix = window.map { $0.isEmpty ? "" : ", \($0)" } ?? ""
        switch policy.name {
        case .named(let verdict):
            let sandbox = "sandbox --reuse \(sandboxOption(policy) ?? verdict.sandboxPolicy)"
            return
                "\(verdict.rawValue)\(suffix) (\(verdict.isSandboxPolicy ? "" : "nearest: ")\(sandbox))"
        case .possible(let verdicts):
            return "not decided: \(verdicts.map(\.rawValue).joined(separator: " or "))\(suffix)"
        case .inconclusive(.noRefreshToken): return "none: the backend issues no refresh token"
        case .inconclusive(.refreshRefused):
            return "inconclusive: a refresh token is refused at its first use"
        case .inconclusive(.notAsked):
            return "not asked for: reuse, depth, until-used and window show it"
        case .inconclusive(.unanswered): return "inconclusive: a needed request was not answered"
        case .inconclusive(.contradictory):
            return "inconclusive: the exchanges contradict each other"
        }
    }

    /// The option of the sandbox that behaves like the backend, or `nil` if that is not known.
    static func sandboxOption(_ policy: PolicyFinding) -> String? {
        guard let verdict = policy.verdict else { return nil }
        guard verdict.isGrace, let seconds = policy.window?.likely else {
            return verdict.sandboxPolicy
        }
        return "\(verdict.sandboxPolicy):seconds=\(ExchangeText.seconds(seconds))"
    }

    static func window(_ window: ReuseWindow) -> String {
        // Rounded outwards, so that what is shown contains what was measured.
        let low = ExchangeText.seconds((window.low * 10).rounded(.down) / 10)
        return window.high.map { high in
            "\(low) to \(ExchangeText.seconds((high * 10).rounded(.up) / 10)) s"
        } ?? "at least \(low) s"
    }

    /// The meaning for a client, in one sentence, or `nil` if the policy was not asked for.
    static func meaning(_ policy: PolicyFinding, watchesWindow: Bool) -> String? {
        switch policy.verdict {
        case .fixed: "A refresh leaves the refresh token as it is: a client keeps it."
        case .reusable:
            "Refresh tokens are replaced and never spent: a client may send an old one again."
        case .singleUse where policy.window != nil:
            "A refresh brings no other refresh token, and the one that was sent works for the window "
                + "alone: afterwards a client has to log in again."
        case .singleUse:
            "A refresh token is good for one refresh: afterwards a client has to log in again."
        case .strict:
            "A replaced refresh token is refused: a client stores the new one before it goes on, "
                + "and lets one refresh run at a time."
        case .strictRevoke:
            "A replaced refresh token ends the session: a client must never send one twice, neither "
                + "at once nor after a lost answer."
        case .grace:
            "Within the window the same successor comes again: a client may repeat a refresh whose "
                + "answer was lost, before it uses another."
        case .graceAccessOnly:
            "Within the window a replaced token brings an access token alone: a client must not "
                + "take the missing refresh token for an end."
        case .graceLatest:
            "Within the window each use brings another successor and only the last one counts: a "
                + "client lets one refresh run at a time."
        case .graceForks:
            "Within the window each use brings a successor of its own: a client may repeat a "
                + "refresh, and keeps any of the answers."
        case .untilUsed:
            "A replaced token is good until its successor is used: a client may repeat a refresh "
                + "as long as it has used nothing of the answer."
        case .untilAccessUsed:
            "A replaced token is good until an access token that it brought is used: a client may "
                + "repeat a refresh as long as it has sent no request with the answer."
        case nil:
            switch policy.name {
            case .inconclusive(.notAsked): nil
            case .inconclusive(.noRefreshToken):
                "A client logs in again when its access token ends."
            case .possible where !watchesWindow:
                "What was seen does not tell these apart: the probe window, which --quick leaves out, "
                    + "watches for longer."
            case .possible, .named, .inconclusive: "The evidence does not name one policy."
            }
        }
    }

    private static func note(_ policy: PolicyFinding) -> String? {
        if let ends = policy.endsAccess {
            return ends
                ? "A reuse ends the access tokens of the session as well."
                : "Access tokens live on after a reuse."
        }
        return policy.endsAfterWindow.map {
            $0 ? "A use after the window ends the session." : "A use after the window is refused."
        }
    }

    /// The end of the window, in one sentence.
    private static func end(_ end: WindowEnd?) -> String? {
        switch end {
        case .time(let uses)?:
            "The window ends by time: within it, a replaced token was accepted \(times(uses))."
        case .uses(let uses)?:
            "The window ends by use as well: within it, a replaced token is accepted "
                + "\(times(uses)) at most."
        case .undecided?:
            "Whether the window ends by time or by a count of uses is not decided."
        case nil: nil
        }
    }

    private static func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

    static func text(_ error: ExpectationError) -> String {
        switch error {
        case .malformed(let text):
            return "\"\(text.inOneLine(limit: 60))\": expected name=value, such as policy=strict"
        case .unknownSubject(let name):
            let names = Expectation.Subject.allCases.map(\.rawValue).joined(separator: ", ")
            return "\"\(name.inOneLine(limit: 60))\" cannot be expected: there are \(names)"
        case .unknownValue(let value, let subject):
            let values = Expectation.values(of: subject).joined(separator: ", ")
            return "\(subject.rawValue)=\(value.inOneLine(limit: 60)): expected \(values)"
        case .unknownSet(let name):
            let names = ExpectationSet.allCases.map(\.rawValue).joined(separator: ", ")
            return "there is no set \"\(name.inOneLine(limit: 60))\": there are \(names)"
        }
    }

    static func failure(_ failure: CheckFailure, profile: String) -> CommandFailure {
        switch failure {
        case .loginRejected(let status, let message):
            let number = status.map { " (\($0))" } ?? ""
            let text = message.map { ": \($0)" } ?? ""
            return CommandFailure(
                .badInput,
                "\(profile): the login was rejected\(number)\(text); check the credentials"
            )
        case .loginFailed(let answer, let message):
            let text = message ?? ExchangeText.text(answer)
            return CommandFailure(.unreachable, "\(profile): no login succeeded: \(text)")
        case .unreachable(let detail):
            return CommandFailure(.unreachable, "\(profile): not reachable: \(detail)")
        case .missingCredential(let name):
            return CommandFailure(.badInput, "\(profile): the credential \(name) is missing")
        }
    }
}

extension ReuseVerdict {
    /// Whether it depends on the time since the replacement.
    var isGrace: Bool {
        switch self {
        case .grace, .graceAccessOnly, .graceLatest, .graceForks: true
        case .fixed, .reusable, .singleUse, .strict, .strictRevoke, .untilUsed, .untilAccessUsed:
            false
        }
    }
}

/// Rows of a name and a text.
struct CheckRows {
    private static let width = 78
    static let textColumn = 13

    private(set) var lines: [String] = []

    mutating func add(_ label: String, _ text: String) {
        var line = "  \(label)".padded(to: Self.textColumn)
        var isEmpty = true
        for word in text.parts(at: " ") {
            if !isEmpty, line.count + 1 + word.count > Self.width {
                lines.append(line)
                line = "".padded(to: Self.textColumn)
                isEmpty = true
            }
            line += isEmpty ? String(word) : " \(word)"
            isEmpty = false
        }
        lines.append(line)
    }
}
