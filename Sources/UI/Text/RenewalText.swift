import Basics
import Model

/// When and whether the pair is renewed, as the machine's timers have it.
struct RenewalText {
    private let viewModel: ViewModel
    private let plan: RenewalPlan?

    init(viewModel: ViewModel) {
        self.viewModel = viewModel
        plan = viewModel.session.renewalPlan
    }

    /// Whether the pair is renewed in time, as far as one can know.
    var isInOrder: Bool {
        switch plan {
        case .scheduled(_, .accessTokenEnds), .scheduled(_, .refreshTokenEnds),
            .scheduled(_, .lastUseOfRefreshToken), .held(.rejection), nil:
            true
        case .scheduled, .underWay, .awaitsLock, .held, .impossible: false
        }
    }

    /// Whether nothing can renew the pair any more.
    var isImpossible: Bool {
        switch plan {
        case .impossible, .scheduled(_, .refreshTokenOver), .scheduled(_, .refreshTokenSpent): true
        case .scheduled, .underWay, .awaitsLock, .held, nil: false
        }
    }

    /// When the access token in use is renewed, or `nil` if nothing does it in its life.
    var renewsAt: Instant? {
        guard !isImpossible, let renewsAt = plan?.renewsAt else { return nil }
        guard let end = viewModel.session.current?.pair.accessExpiry?.at else { return renewsAt }
        return renewsAt <= end ? renewsAt : nil
    }

    // MARK: - In the header

    /// `renews in 04:30`, with what is out of the ordinary.
    var parts: [String] {
        switch plan {
        case .scheduled(let instant, .accessTokenEnds): ["renews \(inTime(instant))"]
        case .scheduled(let instant, .refreshTokenEnds):
            ["renews \(inTime(instant)), before the refresh token ends"]
        case .scheduled(let instant, .lastUseOfRefreshToken):
            ["renews \(inTime(instant)), as the refresh token ends"]
        case .scheduled(let instant, .retry), .scheduled(let instant, .lostAnswer),
            .scheduled(let instant, .unusableAnswer), .scheduled(let instant, .unrecordedAnswer):
            ["next try \(inTime(instant))"]
        case .scheduled(let instant, .circuitBreakerCloses):
            ["renewal held back for \(left(instant))"] + [usable].compactMap(\.self)
        case .scheduled(_, .refreshTokenSpent):
            ["\(Self.refused): the refresh token is spent"] + [lasts].compactMap(\.self)
        case .scheduled(_, .refreshTokenOver), .impossible:
            ["cannot be renewed: \(obstacle)"] + [lasts].compactMap(\.self)
        case .underWay: ["renewing"]
        case .awaitsLock: [lock].compactMap(\.self)
        case .held(let hold): [until(hold) ?? text(hold)] + [usable].compactMap(\.self)
        case nil: []
        }
    }

    /// The same in fewer words, or `nil` if there are none.
    var briefParts: [String]? {
        switch plan {
        case .scheduled(let instant, .refreshTokenEnds),
            .scheduled(let instant, .lastUseOfRefreshToken):
            ["renews \(inTime(instant))"]
        case .scheduled(_, .refreshTokenOver), .scheduled(_, .refreshTokenSpent), .impossible:
            [cannotBeRenewed]
                + [viewModel.usableUntil.map { "lasts \(left($0))" }].compactMap(\.self)
        case .scheduled, .underWay, .awaitsLock, .held, nil: nil
        }
    }

    private static let refused = "the next renewal will be refused"

    private var cannotBeRenewed: String {
        plan?.reason == .refreshTokenSpent ? Self.refused : "cannot be renewed"
    }

    /// The obstacle to every renewal.
    private var obstacle: String {
        switch plan {
        case .impossible(.accessExpired): return "there is no refresh token"
        case .impossible(let reason): return ReasonText.short(reason)
        case .scheduled, .underWay, .awaitsLock, .held, nil: break
        }
        guard let end = viewModel.session.current?.pair.refreshExpiry,
            !viewModel.clock.isOver(end.at)
        else { return "the refresh token has expired" }
        return "the refresh token ends \(inTime(end.statedEnd))"
    }

    private var lasts: String? { viewModel.usableUntil.map { "this session lasts \(left($0))" } }

    /// `process 4121 holds the lock since 14:02:03`, or `nil` if nothing waits for it.
    var lock: String? {
        guard let plan, let since = plan.lockHeldSince else { return nil }
        let holder = plan.lockHolder.map { "process \($0)" } ?? "another process"
        return "\(holder) holds the lock since \(viewModel.clock.when(since))"
    }

    private var usable: String? { viewModel.usableUntil.map { "token usable for \(left($0))" } }

    private func text(_ hold: RenewalHold) -> String { Self.text(hold, viewModel.keys) }

    static func text(_ hold: RenewalHold, _ keys: KeyMap) -> String {
        switch hold {
        case .paused: "no timer renews it: only a 401 or \(keys.name(of: .renew)) does"
        case .user: "not renewed: 401s are shown, only \(keys.name(of: .renew)) renews"
        case .unsaved: "renewed once the last pair is stored"
        case .rejection: "its end is not known: renewed after a 401"
        case .use: "renewed with a later request"
        case .expiry: "renewed once the token has ended"
        }
    }

    /// From when on a request renews, or `nil` if the next one does, or none.
    private func until(_ hold: RenewalHold) -> String? {
        guard case .use = hold, let instant = viewModel.session.state.outlook?.notBefore,
            !viewModel.clock.isOver(instant)
        else { return nil }
        return "renewed with a request from \(viewModel.clock.when(instant)) on"
    }

    private func brief(_ hold: RenewalHold) -> String {
        switch hold {
        case .paused: "only a 401 or \(viewModel.keys.name(of: .renew)) renews"
        case .user: "only \(viewModel.keys.name(of: .renew)) renews"
        case .unsaved: "renewed once stored"
        case .rejection: "renewed after a 401"
        case .use: "renewed with a request"
        case .expiry: "renewed at its end"
        }
    }

    // MARK: - In the pane

    /// With the mark of the bar where it has one, the longest way first.
    var lines: [Line] {
        let mark = renewsAt == nil ? Line() : Line("┃ ", .strong)
        return sentences.map { mark + $0 }
    }

    private var sentences: [Line] {
        switch plan {
        case .scheduled(_, .refreshTokenOver), .scheduled(_, .refreshTokenSpent), .impossible:
            return impossible
        case .held(let hold):
            let ways = [until(hold), text(hold), brief(hold)].compactMap(\.self)
            return ways.map { Line($0, .warning) }
        case nil where viewModel.isObserved: return [Line("the app decides when to renew", .dim)]
        case nil: return [Line("no renewal planned", .dim)]
        case .scheduled, .underWay, .awaitsLock: break
        }
        if let usableUntil = viewModel.session.usableUntil, viewModel.clock.isOver(usableUntil) {
            let over = viewModel.clock.when(usableUntil)
            return [
                "\("too late to renew in time", .bad): unusable since \(over)",
                "\("too late", .bad) since \(over)",
            ]
        }
        guard case .scheduled(let instant, let reason) = plan else {
            let left =
                viewModel.session.usableUntil.map { " · \(self.left($0)) left to retry" } ?? ""
            if lock != nil {
                return ["\("waits for another process", .warning)\(left)", "waits for the lock"]
            }
            return ["renewing now\(left)", "renewing now"]
        }
        let at = viewModel.clock.when(instant)
        return switch reason {
        case .accessTokenEnds:
            ["renews at \(at)\(toRetry(since: instant, "then "))", "renews \(at)"]
        case .refreshTokenEnds:
            ["renews at \(at), before the refresh token ends", "renews \(at)"]
        case .lastUseOfRefreshToken, .refreshTokenOver, .refreshTokenSpent:
            ["renews at \(at), as the refresh token ends", "renews \(at)"]
        case .retry, .lostAnswer, .unusableAnswer, .unrecordedAnswer:
            ["next try at \(at)\(toRetry(since: instant, "then "))", "next try \(at)"]
        case .circuitBreakerCloses:
            ["held back until \(at): \(GlossaryTerm.heldBack.meaning)", "held back until \(at)"]
        }
    }

    private var impossible: [Line] {
        let text = Line(cannotBeRenewed, .warning)
        guard let usableUntil = viewModel.usableUntil else { return [text] }
        let whole: Line = text + " · lasts until \(viewModel.clock.when(usableUntil))"
        guard let lastTry = plan?.renewsAt else { return [whole, text] }
        return [whole + " · last try \(viewModel.clock.when(lastTry))", whole, text]
    }

    /// The time within which it may be tried again.
    private func toRetry(since instant: Instant, _ before: String = "") -> String {
        guard let usableUntil = viewModel.session.usableUntil else { return "" }
        let seconds = usableUntil.seconds(since: instant)
        return seconds > 0 ? " · \(before)\(DurationFormatter.long(seconds)) left to retry" : ""
    }

    private func inTime(_ instant: Instant) -> String { viewModel.clock.inTime(instant) }

    private func left(_ instant: Instant) -> String {
        DurationFormatter.counting(viewModel.clock.left(until: instant))
    }
}
