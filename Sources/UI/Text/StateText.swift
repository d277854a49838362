import Basics
import Model

/// The sentences of the states, part by part.
struct StateText {
    let viewModel: ViewModel

    var fresh: [String?] {
        if viewModel.session.flags.isPaused { return ["fresh", paused, isStillSent ? ends : dies] }
        return ["fresh"] + renewal.parts
    }

    /// `fresh` for a narrow screen.
    var briefFresh: [String?]? {
        // That nothing is renewed is what must be seen.
        if let paused { return [paused, "fresh"] }
        return renewal.briefParts.map { ["fresh"] + $0 }
    }

    var renewal: RenewalText { RenewalText(viewModel: viewModel) }

    var renewing: [String?] {
        renewal.lock.map { ["renewal waits", $0, dies, paused] }
            ?? ["renewing", cause, waiting, dies, paused]
    }

    /// `renewing` for a narrow screen, if it waits for another process.
    var briefRenewing: [String?]? {
        renewal.lock.map { [$0] }
    }

    var blocked: [String?] { ["waiting for renewal", renewal.lock, waiting, paused] }

    var signingIn: [String?] {
        let wait = viewModel.session.authorization.map { prompt in
            "waits for you to log in \(prompt.device == nil ? "with the browser" : "on any device")"
        }
        return renewal.lock.map { ["login waits", $0, waiting] } ?? ["logging in", wait, waiting]
    }

    func retrying(_ outlook: RetryOutlook) -> [String?] {
        ["renewal failed \(failures(outlook))", next(outlook), dies, paused]
    }

    /// The access token has ended: why it is not renewed, and what brings the next try.
    ///
    /// Whether the backend answers is said apart.
    func expired(_ outlook: RetryOutlook) -> [String?] {
        if outlook.hold == .paused, outlook.failures == 0, viewModel.session.flight == nil {
            return ["access token expired\(isStillSent ? ", still sent" : "")", paused]
        }
        let kept = "access token expired, renewable"
        return [kept, failed(outlook), next(outlook), waiting, paused]
    }

    func briefExpired(_ outlook: RetryOutlook) -> [String?] {
        if let lock = renewal.lock { return ["token expired", lock] }
        let isPaused = outlook.hold == .paused && outlook.failures == 0
        let failed = outlook.failures > 0 ? "failed \(failures(outlook))" : failed(outlook)
        return ["token expired", isPaused ? briefPaused : failed, next(outlook)]
    }

    /// `renewal failed ×2 (503)`, or what has held it back from the beginning.
    private func failed(_ outlook: RetryOutlook) -> String {
        guard outlook.failures > 0 else { return FailureText.name(outlook.failure) }
        return "renewal failed \(failures(outlook))"
    }

    /// Whether requests go on with the access token after its end.
    private var isStillSent: Bool { viewModel.session.flags.pauses[.user] != nil }

    func unknown(_ outlook: RetryOutlook) -> [String?] {
        let again =
            outlook.hold == nil && !isHeldByPause && renewal.lock == nil
            ? outlook.nextAt.map { "asking again \(inTime($0))" } ?? "asking again now"
            : next(outlook)
        return [reply(outlook.failure), again, dies, paused]
    }

    private func reply(_ failure: RefreshFailure) -> String {
        if case .interrupted = failure.cause { return "no answer on record before the restart" }
        return failure.status.map { "\(MissingAnswerText.unusable) (\($0))" }
            ?? MissingAnswerText.lost
    }

    func draining(_ reason: SignedOutReason) -> [String?] {
        let end = viewModel.usableUntil
        return [
            end.map { "session ends \(inTime($0)) at \(viewModel.clock.when($0))" }
                ?? "session ends",
            ReasonText.short(reason),
            "log in again with \(viewModel.keys.name(of: .logIn))",
        ]
    }

    func signedOut(_ reason: SignedOutReason, quotesServer: Bool = true) -> [String?] {
        signedOut(reason) { reason in
            let words = quotesServer ? serverWords : nil
            return [ReasonText.sentence(reason), words].compactMap(\.self).joined(separator: ": ")
        }
    }

    /// The server's words at the end of the session, in quotation marks.
    var serverWords: String? {
        viewModel.session.lastEnding?.refusal?.message.map(RefusalText.quoted)
    }

    func briefSignedOut(_ reason: SignedOutReason) -> [String?] {
        signedOut(reason) { "signed out: \(ReasonText.short($0))" }
    }

    private func signedOut(
        _ reason: SignedOutReason,
        sentence: (SignedOutReason) -> String
    ) -> [String?] {
        let login = viewModel.session.loginFailure.map { "login failed: \(FailureText.full($0))" }
        let reason = reason == .never ? viewModel.session.lastEnding?.reason ?? reason : reason
        let next = ReasonText.logIn(viewModel.keys)
        if reason == .never { return [login ?? "no session yet", next] }
        return [sentence(reason), login ?? next]
    }

    func vault(_ problem: VaultProblem) -> [String?] {
        let text = CauseText().text(problem)
        let key = viewModel.keys.name(of: .tryVault)
        return [
            "\(FailureText.vault(problem)): \(text)",
            "not signed out, read again soon, or now with \(key)",
        ]
    }

    /// `requests wait for 3 s`, or `nil` if none does.
    private var waiting: String? {
        viewModel.session.usersWaitSince.map { since in
            let seconds = viewModel.clock.passed(since: since)
            return "requests wait for \(DurationFormatter.counting(seconds))"
        }
    }

    var paused: String? {
        let pauses = viewModel.session.flags.pauses
        let key = viewModel.keys.name(of: .renew)
        if pauses.values.contains(.all) {
            return "‖ no renewal: 401s are shown, only \(key) renews"
        }
        if pauses[.user] != nil { return "‖ paused: renews only on \(key) or a 401" }
        return pauses.isEmpty ? nil : "‖ paused: terminal in the background"
    }

    private var briefPaused: String? {
        let isWhole = viewModel.session.flags.pauses.values.contains(.all)
        return paused == nil ? nil : isWhole ? "‖ no renewal" : "‖ paused"
    }

    /// Whether no timer starts a try.
    private var isHeldByPause: Bool {
        viewModel.session.flags.isPaused && viewModel.session.flight == nil
    }

    private var dies: String? {
        viewModel.usableUntil.map { instant in
            "token usable for \(DurationFormatter.counting(viewModel.clock.left(until: instant)))"
        }
    }

    /// While paused it is used beyond its end.
    private var ends: String? {
        viewModel.session.current?.pair.accessExpiry.map { deadline in
            "token ends in \(DurationFormatter.counting(viewModel.clock.left(until: deadline.statedEnd)))"
        }
    }

    private var cause: String? {
        viewModel.session.flight.map { "cause: \(CauseText().text($0.cause))" }
    }

    private func failures(_ outlook: RetryOutlook) -> String {
        "×\(outlook.failures) (\(FailureText.brief(outlook.failure)))"
    }

    /// The cause of the next try, or `nil` if the words of the pause say it.
    private func next(_ outlook: RetryOutlook) -> String? {
        if let lock = renewal.lock { return lock }
        if viewModel.session.flight != nil { return "trying now" }
        switch outlook.hold {
        case .use:
            guard let instant = outlook.notBefore, !viewModel.clock.isOver(instant) else {
                return "waits for a later request"
            }
            return "waits for a request from \(viewModel.clock.when(instant)) on"
        case .paused: return nil
        case .expiry: return isHeldByPause ? nil : "next try once the token has ended"
        case nil: break
        }
        if isHeldByPause { return nil }
        return outlook.nextAt.map { "next try \(inTime($0))" } ?? "trying now"
    }

    private func inTime(_ instant: Instant) -> String { viewModel.clock.inTime(instant) }
}
