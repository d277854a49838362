import Basics
import Client
import Model
import Profiles
import Simulation

/// 27: what is announced of the next renewal is what then happens.
///
/// It follows the events, as a screen does, and compares them with what the process does and with
/// when it wants to be woken.
struct AnnouncementCheck {
    private let renewsByLogin: Bool
    private let renewsBeforeUse: Bool
    private var announcements = PerProcess<Announcement>()
    private(set) var checked = 0

    init(scenario: Scenario) {
        renewsByLogin = scenario.renewsByLogin
        renewsBeforeUse = scenario.renewsBeforeUse
    }

    mutating func died(_ process: Int) {
        announcements[process] = nil
    }

    mutating func rests(_ step: Step) -> InvariantViolation.Finding? {
        var announcement = announcements.take(step.process) ?? Announcement()
        let before = announcement
        let news = announcement.follow(step)
        // A login that waits for the lock is announced before there is a pair.
        let isOver = step.after.held == nil && step.after.state != .signingIn
        defer { announcements[step.process] = isOver ? nil : announcement }
        let message =
            news.hasWrongCause
            ? "a renewal began for something else than its timer was announced for"
            : broken(before, news, step, announcement.plan)
        let contradiction =
            step.after.held.flatMap { pair in
                announcement.contradiction(
                    of: pair,
                    step,
                    renewsByLogin: renewsByLogin,
                    renewsBeforeUse: renewsBeforeUse
                )
            }
        guard let message = message ?? contradiction else { return nil }
        return InvariantViolation.Finding(.announcedRenewal, message)
    }

    /// Returns an announcement before a step that the step contradicted.
    private mutating func broken(
        _ before: Announcement,
        _ news: Announcement.News,
        _ step: Step,
        _ next: RenewalPlan?
    ) -> String? {
        guard let plan = before.plan else { return nil }
        checked += 1
        if news.begins, !news.hasNewPair, !before.isUnderWay,
            !allows(plan, news, step)
        {
            return "a renewal began although \(plan.code.rawValue) was announced"
        }
        guard case .tick = step.input else { return nil }
        if let ending = news.ending, plan.ending != ending {
            return "a session ended by the clock otherwise than announced"
        }
        guard let due = dueAt(plan, step), due <= step.now, !news.begins,
            !news.hasNewPair, !before.isUnderWay
        else { return nil }
        guard next != plan else { return "nothing happened at the announced instant" }
        return isReason(next) ? nil : "a renewal was put off without a reason"
    }

    /// When a timer is to begin a renewal, or to say why not.
    private func dueAt(_ plan: RenewalPlan, _ step: Step) -> Instant? {
        plan == .held(.expiry) ? step.before.schedule?.usableUntil : plan.renewsAt
    }

    /// Whether it says why no renewal begins now.
    private func isReason(_ plan: RenewalPlan?) -> Bool {
        switch plan?.reason {
        case .accessTokenEnds, .refreshTokenEnds, .lastUseOfRefreshToken, .refreshTokenOver,
            .refreshTokenSpent:
            false
        case .retry, .lostAnswer, .unusableAnswer, .unrecordedAnswer, .circuitBreakerCloses, nil:
            true
        }
    }

    /// Whether a renewal may begin in a step before which the plan was announced.
    private func allows(
        _ plan: RenewalPlan,
        _ news: Announcement.News,
        _ step: Step
    ) -> Bool {
        switch step.input {
        case .logIn, .perform(.logIn, _): return true
        case .refreshNow, .logOut, .perform: return plan.ending == nil
        case .tokenNeeded, .sendRequest:
            switch plan {
            case .scheduled, .held(.use): return true
            case .held(.paused): return renewsBeforeUse || !step.before.isUsable(at: step.now)
            case .held, .impossible, .underWay, .awaitsLock: return false
            }
        case .protectedEnded, .feed, .feedRejected:
            return plan.ending == nil && plan != .held(.user)
        default: return allowsUnasked(plan, news, step)
        }
    }

    /// Whether a renewal may begin that neither a user nor a refusal asks for.
    private func allowsUnasked(
        _ plan: RenewalPlan,
        _ news: Announcement.News,
        _ step: Step
    ) -> Bool {
        guard !news.isResumed else { return true }
        switch plan {
        case .scheduled(let at, let reason):
            // The end of a sleep is a reason to try again at once.
            return at <= step.now || news.isAwake && reason.repeats
        case .held(.expiry): return !step.before.isUsable(at: step.now)
        case .held(.unsaved):
            if case .tick = step.input { return false }
            return true
        case .held, .impossible: return false
        case .underWay, .awaitsLock: return true
        }
    }
}

extension RenewalReason {
    /// Whether an earlier try is repeated.
    var repeats: Bool {
        switch self {
        case .retry, .lostAnswer, .unusableAnswer, .unrecordedAnswer: true
        case .accessTokenEnds, .refreshTokenEnds, .lastUseOfRefreshToken, .refreshTokenOver,
            .refreshTokenSpent, .circuitBreakerCloses:
            false
        }
    }
}
