import Basics
import Client
import Model
import Profiles
import Simulation

/// A process's announcement of its next renewal, compared with its behavior.
struct Announcement {
    /// The events of a step.
    struct News {
        var begins = false
        var hasNewPair = false
        var isResumed = false
        var isAwake = false
        /// The reason for which the session ended.
        var ending: SignedOutReason?
        var hasWrongCause = false
    }

    private enum Progress {
        case none
        /// Announced, without a flight yet.
        case announced
        /// The lock is requested: events report the end.
        case begun
    }

    private(set) var plan: RenewalPlan?
    private var progress: Progress
    /// A failure of this pair's renewal was reported.
    private var hasFailed = false
    /// The reason for a renewal that the last lost or unusable answer gives.
    private var loss: RenewalReason?
    private var sent: OperationID?
    /// The reason for which the timer that began the renewal was announced, or `nil` if none was.
    private var begunFor: RenewalReason?

    var isUnderWay: Bool { progress != .none }

    init() {
        self.init(plan: nil, progress: .none)
    }

    private init(plan: RenewalPlan?, progress: Progress) {
        self.plan = plan
        self.progress = progress
    }

    mutating func follow(_ step: Step) -> News {
        var news = News()
        if case .refreshEnded(sent, let exchange) = step.input { register(exchange.outcome) }
        let due = plan.flatMap { plan in
            plan.renewsAt.flatMap { $0 <= step.now ? plan.reason : nil }
        }
        for effect in step.effects {
            switch effect {
            case .emit(let event): follow(event.kind, &news)
            case .lockFlight:
                if progress == .none { news.begins = true }
                progress = .begun
            case .sendRefresh(let id, _): sent = id
            default: break
            }
        }
        if news.begins {
            if case .tick = step.input { begunFor = due } else { begunFor = nil }
        }
        return news
    }

    private mutating func follow(_ kind: any EventKind, _ news: inout News) {
        if let next = (kind as? RenewalPlanned)?.plan {
            plan = next
            switch next {
            case .underWay, .awaitsLock:
                guard progress == .none else { return }
                news.begins = true
                progress = .announced
            case .scheduled, .held, .impossible:
                if progress == .announced { progress = .none }
            }
        } else if kind is TokensIssued {
            self = Announcement(plan: plan, progress: progressOfPlan)
            news.hasNewPair = true
        } else if kind is JournalRecovered {
            hasFailed = true
            loss = .unrecordedAnswer
        } else if kind is LoginStarted {
            if progress == .none { news.begins = true }
            progress = .begun
        } else if let cause = (kind as? RefreshStarted)?.cause {
            news.hasWrongCause = begunFor.map { !$0.leads(to: cause) } ?? false
        } else if kind is RefreshFailed {
            hasFailed = true
            progress = .none
        } else if let changed = kind as? SessionStateChanged, case .failure = changed.why {
            if changed.to.outlook != nil { hasFailed = true }
        } else if kind is LoginFailed {
            progress = progressOfPlan
        } else if kind is SessionDraining {
            progress = .none
        } else if kind is RenewalResumed {
            news.isResumed = true
        } else if kind is Interruption {
            news.isAwake = true
        } else if let reason = (kind as? SignedOut)?.reason {
            news.ending = reason
            self = Announcement()
        }
    }

    /// A renewal that follows at once is not announced again.
    private var progressOfPlan: Progress {
        switch plan {
        case .underWay, .awaitsLock: .announced
        case .scheduled, .held, .impossible, nil: .none
        }
    }

    private mutating func register(_ outcome: Outcome<RefreshResponse>) {
        switch outcome {
        case .unanswered: loss = .lostAnswer
        case .answered(.failed(.undecodable)): loss = .unusableAnswer
        case .answered, .notSent: break
        }
    }
}

// MARK: - At rest

extension Announcement {
    /// Returns an announcement that contradicts the process's state after a step.
    func contradiction(
        of pair: SessionPair,
        _ step: Step,
        renewsByLogin: Bool,
        renewsBeforeUse: Bool
    ) -> String? {
        let view = step.after
        guard let plan else { return "a pair is held, and nothing is announced" }
        switch plan {
        case .underWay, .awaitsLock:
            let isShown = view.state == .signingIn || view.state.isTrying
            return isUnderWay && isShown ? nil : "a renewal is announced that is not in progress"
        case .scheduled, .held, .impossible:
            guard !isUnderWay else { return "a renewal is in progress that is not announced" }
        }
        switch plan {
        case .underWay, .awaitsLock: return nil
        case .scheduled(let at, let reason):
            guard isArmed(at, step) else { return "no timer is set for the announced instant" }
            guard !view.flags.isPaused else { return "a renewal is announced during a pause" }
            guard agrees(reason, at, pair, view) else {
                return "\(reason.rawValue) is announced, which it is not"
            }
        case .held(let hold):
            guard agrees(hold, step) || (hold == .use && renewsBeforeUse) else {
                return "\(hold.rawValue) is awaited without a cause"
            }
        case .impossible(let reason):
            if case .draining(reason) = view.state { return nil }
            guard pair.tokens.refresh == nil, !renewsByLogin else {
                return "\(reason.rawValue) is announced, though the pair can be renewed"
            }
        }
        return nil
    }

    private func isArmed(_ at: Instant, _ step: Step) -> Bool {
        step.after.sessionDeadline.map { $0 <= max(at, step.now) } ?? false
    }

    private func agrees(
        _ reason: RenewalReason,
        _ at: Instant,
        _ pair: SessionPair,
        _ view: MachineView
    ) -> Bool {
        let isOver = pair.tokens.refresh != nil && pair.hasRefreshEnded(at: at)
        switch reason {
        case .accessTokenEnds:
            return view.state == .fresh && !isOver && pair.access.map { at <= $0.at } ?? false
        case .refreshTokenEnds:
            return view.state == .fresh && !isOver && pair.refresh != nil
        case .lastUseOfRefreshToken: return pair.refresh?.at == at
        case .refreshTokenOver: return isOver
        case .refreshTokenSpent: return !isOver && pair.isUnchanged && !pair.isReusable
        case .retry: return hasFailed && loss == nil
        case .lostAnswer, .unusableAnswer, .unrecordedAnswer: return loss == reason
        case .circuitBreakerCloses: return view.flags.breakerOpenUntil == at
        }
    }

    private func agrees(_ hold: RenewalHold, _ step: Step) -> Bool {
        let view = step.after
        let pauses = view.flags.pauses
        switch hold {
        case .user: return pauses.values.contains(.all)
        case .paused: return !pauses.isEmpty && !pauses.values.contains(.all)
        case .unsaved: return true
        case .rejection: return view.schedule == nil
        case .use: return !view.isUsable(at: step.now) || view.state.outlook?.hold == .use
        case .expiry:
            guard let end = view.schedule?.usableUntil else { return false }
            return end > step.now && isArmed(end, step)
        }
    }
}

extension SessionState {
    /// Whether a try is in progress.
    fileprivate var isTrying: Bool {
        switch self {
        case .renewing, .blocked: true
        case .retrying(let outlook), .expired(let outlook), .unknown(let outlook):
            outlook.nextAt == nil
        case .cold, .vaultUnavailable, .signedOut, .signingIn, .fresh, .draining, .signingOut:
            false
        }
    }
}

extension RenewalReason {
    /// Whether a renewal by this reason's timer has the cause.
    fileprivate func leads(to cause: RefreshCause) -> Bool {
        switch self {
        case .retry: cause == .retry
        case .lostAnswer: cause == .lostAnswer
        case .unusableAnswer: cause == .unusableAnswer
        case .unrecordedAnswer: cause == .unrecordedAnswer
        case .accessTokenEnds, .refreshTokenEnds, .lastUseOfRefreshToken, .refreshTokenOver,
            .refreshTokenSpent:
            cause == .timer
        case .circuitBreakerCloses:
            [.timer, .retry, .lostAnswer, .unusableAnswer, .unrecordedAnswer].contains(cause)
        }
    }
}
