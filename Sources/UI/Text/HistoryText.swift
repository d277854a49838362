import Basics
package import Model
import Profiles

/// What happened, in a sentence.
package struct HistoryText: Sendable {
    /// Names an instant.
    let when: @Sendable (Instant) -> String

    package init(clock: ViewClock) {
        when = { clock.when($0) }
    }

    /// The same without times, for what is searched.
    static let timeless = HistoryText { _ in "" }

    private init(when: @escaping @Sendable (Instant) -> String) {
        self.when = when
    }

    package func text(_ kind: SessionEvent.Kind) -> String {
        let causes = CauseText()
        switch kind {
        case .capabilities(let capabilities): return "watching \(capabilities.baseURL)"
        case .loginStarted: return "login began"
        case .authorizationRequested(let prompt):
            let how =
                prompt.device != nil
                ? "on any device" : prompt.isOpened ? "with your browser" : "with a browser"
            return "waits until \(when(prompt.expiresAt)) for you to sign in \(how)"
        case .authorizationGranted: return "the sign-in was granted"
        case .idTokenChecked(let report): return IDTokenText.text(report)
        case .loginFailed(let failure): return "login failed: \(FailureText.full(failure))"
        case .tokensIssued(let pair): return issued(pair)
        case .capturesChanged(let captures): return CaptureText.sentence(captures)
        case .stateChanged(let from, let to, let why): return changed(from, to, why)
        case .refreshStarted(let flight, let cause, _):
            return "renewal \(flight) began: \(causes.text(cause))"
        case .refreshSucceeded(let flight, let roundTrip, let left, let rotated):
            return succeeded(flight, roundTrip, left, rotated)
        case .refreshFailed(let flight, let failure, let attempt, let nextAt):
            return failed(flight, failure, attempt, nextAt)
        case .request(let record): return request(record)
        case .renewalPlanned(let plan):
            guard let instant = plan.renewsAt else { return "renewal: \(causes.text(plan))" }
            return "renewal planned for \(when(instant)): \(causes.text(plan))"
        case .expiryMismatch(let token, let readings):
            let sources = readings.map { reading in
                "\(ExpiryText.short(reading.source)) \(DurationFormatter.long(reading.seconds))"
            }
            return "the \(token.rawValue) token's expiries disagree: "
                + sources.joined(separator: ", ")
        case .userChanged(let users):
            return "the renewal brought a token of another user: \(users.after), "
                + "not \(users.before)"
        case .skew(let offset):
            return "the server's clock: \(ExpiryText.bounds(offset)) against ours"
        case .probe(let reached):
            return "asked after the sleep: the backend \(reached ? "answers" : "does not answer")"
        case .noProgress: return "renewed, but the expiry is not later"
        case .protocolError(let failure):
            return "not as the profile says: \(causes.text(failure))"
        case .unsaved(let problem): return "not saved to disk: \(causes.text(problem))"
        case .saved: return "saved to disk again"
        case .circuitBreakerOpened(let until):
            return "the server rejects fresh tokens: no renewal before \(when(until))"
        case .paused(let extent, let cause): return paused(extent, cause)
        case .resumed(.user): return "renewal goes on: resumed by you"
        case .resumed(.background): return "renewal goes on: terminal in the foreground"
        case .refreshTokenRefused(let evidence): return RefusalText.sentence(evidence)
        case .draining(let endsAt, let reason):
            let end = endsAt.map { " at \(when($0))" } ?? ""
            return "the session ends with its access token\(end): \(ReasonText.text(reason))"
        case .signedOut(let reason): return "the session ended: \(ReasonText.text(reason))"
        case .endedBefore(let reason, let at, let refusal):
            let said = refusal?.message.map { ", \(RefusalText.quoted($0))" } ?? ""
            return "the session before ended \(when(at.now)): \(ReasonText.text(reason))\(said)"
        case .erased(let after):
            return "erased here \(DurationFormatter.fine(after.inSeconds)) after the logout"
        case .revocation(.pending): return "the backend has yet to be notified of the logout"
        case .revocation(.expired): return "the backend never heard of the logout"
        case .sessions(let news): return sessions(news)
        case .secondOpinion(let introspection):
            let name = IntrospectionText.name(introspection.question).lowercased()
            return "\(name): \(IntrospectionText.text(introspection))"
        case .feed(.receivesAfterLogout(let socket)):
            return "socket \(socket) still receives after logout"
        case .feed(.missing(let socket, let after, let before)):
            return "socket \(socket): \(FeedRow.missing(after: after, before: before))"
        case .feed: return "feed"
        case .experimentStarted(let experiment):
            return "experiment began: \(ExperimentText.name(experiment))"
        case .experimentEnded(let result):
            let name = ExperimentText.name(result.experiment)
            return "experiment: \(name): \(ExperimentText.sentence(result))"
        case .clockShifted(let seconds): return ClockShiftText.sentence(seconds)
        case .faultsChanged(let change): return faults(change)
        case .observed(.finding(let finding)): return "\(finding.rule): \(finding.message)"
        case .dropped(let count):
            return "\(CountFormatter.count(count, "event")) not shown: too many at once"
        default: return EventNotice.message(kind)?.0 ?? ""
        }
    }

    private func issued(_ pair: PairDescription) -> String {
        let how =
            switch pair.origin {
            case .login: "issued by the login"
            case .refresh: "issued"
            case .resumed: "taken from the vault"
            case .adopted: "taken over from another process"
            case .imported: "given by you"
            case .joined: "seen under way"
            }
        var parts = ["\(pair.access.fingerprint) \(how)"]
        if let deadline = pair.accessExpiry {
            let life = ExpiryText.lifetime(deadline)
            parts.append("lives \(life) by \(ExpiryText.short(deadline.expiry.source))")
        }
        if pair.refresh == nil { parts.append("no refresh token") }
        parts += CaptureText.missing(pair.captures)
        return parts.joined(separator: ", ")
    }

    private func changed(
        _ from: SessionState,
        _ to: SessionState,
        _ why: StateChangeCause
    ) -> String {
        let failures = to.outlook.map { $0.failures > 0 ? " ×\($0.failures)" : "" } ?? ""
        let next = to.outlook?.nextAt.map { ", next try \(when($0))" } ?? ""
        return "\(from.word) → \(to.word)\(failures)\(next): \(CauseText().text(why))"
    }

    private func succeeded(
        _ flight: Int,
        _ roundTrip: Duration,
        _ left: Duration,
        _ rotated: Bool
    ) -> String {
        let seconds = left.inSeconds
        let lead =
            seconds >= 0
            ? "\(DurationFormatter.long(seconds)) before the old access token's end"
            : "\(DurationFormatter.long(-seconds)) after the old access token's end"
        return "renewal \(flight) took \(DurationFormatter.fine(roundTrip.inSeconds)), \(lead), "
            + (rotated ? "refresh token rotated" : "refresh token unchanged")
    }

    private func failed(
        _ flight: Int,
        _ failure: RefreshFailure,
        _ attempt: Int,
        _ nextAt: Instant?
    ) -> String {
        let times = attempt > 1 ? " ×\(attempt)" : ""
        let next = nextAt.map { ", again at \(when($0))" } ?? ""
        return "renewal \(flight) failed\(times): \(FailureText.full(failure))\(next)"
    }

    private func request(_ record: RequestRecord) -> String {
        let end =
            switch record.result {
            case .answered(let status): "answered \(status)"
            case .notSent(let cause): "not sent: \(CauseText().text(cause))"
            case .unanswered(let detail): "no complete answer: \(detail)"
            case .awaited: "sent"
            }
        return "request #\(record.id) \(record.method) \(record.target) \(end)"
    }

    private func paused(_ extent: PauseExtent, _ cause: PauseCause) -> String {
        let what = extent == .all ? "renewal paused altogether" : "renewal by timer paused"
        switch cause {
        case .user: return "\(what) by you"
        case .background: return "\(what): terminal in the background"
        }
    }

    private func faults(_ change: FaultsChange) -> String {
        let who =
            switch change.by {
            case .user: "by you"
            case .sandbox: "seen at the sandbox"
            }
        guard !change.active.isEmpty else { return "all faults of the sandbox are off, \(who)" }
        let list = change.active.joined(separator: ", ")
        return "\(change.active.count == 1 ? "fault" : "faults") on, \(who): \(list)"
    }

    private func sessions(_ news: SessionListUpdate) -> String {
        switch news {
        case .listed(let sessions): CountFormatter.count(sessions.count, "active session")
        case .ended: "another session was ended by you"
        case .failed(let failure): CauseText().text(failure)
        }
    }
}

extension HistoryText {
    /// How much it needs a person.
    package static func style(_ kind: SessionEvent.Kind) -> Style {
        switch kind {
        case .signedOut(let reason), .endedBefore(let reason, _, _):
            return reason.isWanted ? .plain : .bad
        case .refreshTokenRefused, .draining, .feed, .loginFailed, .userChanged: return .bad
        case .refreshFailed, .request, .expiryMismatch, .wallStep, .noProgress, .protocolError,
            .unsaved, .circuitBreakerOpened, .actionRejected, .dropped, .probe(reached: false),
            .revocation(.expired), .revocation(.noRefreshToken), .revocation(.noAccessToken),
            .revocation(.noCapturedValue),
            .sessions(.failed), .observed(.omitted), .observed(.misdirected):
            return .warning
        case .secondOpinion(let introspection):
            return introspection.differences.isEmpty ? .plain : .warning
        case .faultsChanged(let change): return change.active.isEmpty ? .plain : .warning
        case .clockShifted(let seconds): return seconds == 0 ? .plain : .warning
        case .observed(.finding(let finding)):
            return finding.severity == .bug ? .bad : finding.severity == .risk ? .warning : .plain
        case .tokensIssued(let pair):
            return CaptureText.missing(pair.captures).isEmpty ? .good : .warning
        case .stateChanged(_, let to, _): return to.outlook == nil ? .dim : .warning
        case .renewalPlanned(.scheduled), .refreshSucceeded: return .dim
        default: return .plain
        }
    }

    /// For the eye, beside the style.
    package static func symbol(_ kind: SessionEvent.Kind) -> String {
        switch kind {
        case .tokensIssued: "●"
        case .signedOut, .endedBefore: "○"
        case .stateChanged: "→"
        default:
            switch style(kind) {
            case .bad: "✗"
            case .warning: "⚠"
            default: " "
            }
        }
    }
}
