import Lifecycle
import Timekeeping

/// The sentences of the states, part by part.
struct StateText {
    let scene: Scene

    var fresh: [String?] {
        if scene.session.flags.isPaused { return ["fresh", paused, dies] }
        if let openUntil = scene.breakerOpenUntil {
            return ["fresh", heldBack(until: openUntil), dies]
        }
        return ["fresh"] + renewal.parts
    }

    /// `fresh` for a narrow screen.
    var briefFresh: [String?]? {
        // That nothing is renewed is what must be seen.
        if let paused { return [paused, "fresh"] }
        if scene.breakerOpenUntil != nil { return nil }
        return renewal.briefParts.map { ["fresh"] + $0 }
    }

    var renewal: RenewalText { RenewalText(scene: scene) }

    var renewing: [String?] { ["renewing", cause, dies, paused] }

    func retrying(_ outlook: RetryOutlook) -> [String?] {
        ["renewal failed \(failures(outlook))", next(outlook), dies, paused]
    }

    func offline(_ outlook: RetryOutlook) -> [String?] {
        if let openUntil = scene.breakerOpenUntil, outlook.failures == 0 {
            return ["offline: session kept", heldBack(until: openUntil), paused]
        }
        if outlook.hold == .paused, outlook.failures == 0, scene.session.flight == nil {
            return ["paused: the access token has ended", "renews on r or the next request"]
        }
        let status = outlook.failure.kind == .transient ? outlook.failure.status : nil
        let isHeldBack = outlook.failure.kind == .heldBack
        let what =
            status.map { "backend unavailable (\($0))" }
            ?? (isHeldBack ? FailureText.name(outlook.failure) : "offline")
        let failed = outlook.failures > 0 ? "failed \(failures(outlook))" : nil
        return ["\(what): session kept", next(outlook), failed, paused]
    }

    func unknown(_ outlook: RetryOutlook) -> [String?] {
        let again =
            outlook.hold == nil && !isHeldByPause
            ? outlook.nextAt.map { "asking again \(inTime($0))" } ?? "asking again now"
            : next(outlook)
        let reply = outlook.failure.status.map { "reply unusable (\($0))" } ?? "reply lost"
        return [reply, again, dies, paused]
    }

    func draining(_ reason: SignedOutReason) -> [String?] {
        let end = scene.usableUntil
        return [
            end.map { "session ends \(inTime($0)) at \(scene.clock.when($0))" } ?? "session ends",
            ReasonText.short(reason),
            "log in again with o",
        ]
    }

    func signedOut(_ reason: SignedOutReason, isBrief: Bool) -> [String?] {
        let login = scene.session.loginFailure.map { "login failed: \(FailureText.full($0))" }
        if reason == .never { return [login ?? "no session yet", "press o to log in"] }
        let brief = "signed out: \(ReasonText.short(reason))"
        return [isBrief ? brief : ReasonText.sentence(reason), login ?? "press o to log in"]
    }

    func vault(_ problem: VaultProblem) -> [String?] {
        let text = CauseText().text(problem)
        return [
            "\(FailureText.vault(problem)): \(text)",
            "not signed out, read again soon, or now with u",
        ]
    }

    var paused: String? {
        let pauses = scene.session.flags.pauses
        if pauses == [.background] { return "‖ paused: terminal in the background" }
        return pauses.isEmpty ? nil : "‖ paused: renews only on r or a 401"
    }

    /// Whether no timer starts a try.
    private var isHeldByPause: Bool {
        scene.session.flags.isPaused && scene.session.flight == nil
    }

    private var dies: String? {
        scene.usableUntil.map { instant in
            "token usable for \(DurationFormatter.counting(scene.clock.left(until: instant)))"
        }
    }

    private var cause: String? {
        scene.session.flight.map { "cause: \(CauseText().text($0.cause))" }
    }

    private func heldBack(until openUntil: Instant) -> String {
        "renewal held back for \(DurationFormatter.counting(scene.clock.left(until: openUntil)))"
    }

    private func failures(_ outlook: RetryOutlook) -> String {
        "×\(outlook.failures) (\(FailureText.brief(outlook.failure)))"
    }

    /// What brings the next try, or `nil` if the words of the pause say it.
    private func next(_ outlook: RetryOutlook) -> String? {
        if scene.session.flight != nil { return "trying now" }
        switch outlook.hold {
        case .use: return "waits for the next request"
        case .paused: return nil
        case .expiry: return isHeldByPause ? nil : "next try once the token has ended"
        case nil: break
        }
        if isHeldByPause { return nil }
        return outlook.nextAt.map { "next try \(inTime($0))" } ?? "trying now"
    }

    private func inTime(_ instant: Instant) -> String {
        "in \(DurationFormatter.counting(scene.clock.left(until: instant)))"
    }
}
