import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

/// Events on a clock of their own, written down as they would happen.
struct EventScript: CustomTestStringConvertible {
    /// 2025-11-21 14:00:00 UTC.
    static let start = Moment(
        now: Instant(nanoseconds: 5_000_000_000_000),
        wall: Date(timeIntervalSince1970: 1_763_733_600)
    )

    /// Which session its events name, unless a test says otherwise.
    static let session = SessionID("bitbasel")

    /// Short, since a script may be an argument of a test.
    var testDescription: String { "\(id) in state \(state), \(events.count) events" }

    var id = EventScript.session
    /// The app whose requests they are, or `nil` if they are the program's own.
    var client: ObservedClient?
    var now = EventScript.start
    var events: [SessionEvent] = []
    var login = 0
    var generation = 0
    var requests = 0
    var flights = 0
    var sockets = 0
    var messages = 0
    var state = SessionState.cold

    mutating func add(_ kind: any EventKind) {
        events.append(
            SessionEvent(
                moment: now,
                session: id,
                profile: id.description,
                login: login,
                generation: generation,
                kind: kind
            )
        )
    }

    mutating func enter(_ state: SessionState, why: StateChangeCause = .login) {
        add(SessionStateChanged(from: self.state, to: state, why: why))
        self.state = state
        if let plan = plan(in: state) { add(RenewalPlanned(plan)) }
    }

    /// The trigger of the pair's renewal in such a state, or `nil` if the state does not say it.
    private func plan(in state: SessionState) -> RenewalPlan? {
        switch state {
        case .renewing, .blocked: .underWay
        case .retrying(let outlook), .expired(let outlook), .unknown(let outlook):
            outlook.nextAt.map { .scheduled(at: $0, .retry) }
        case .draining(let reason): .impossible(reason)
        case .cold, .vaultUnavailable, .signedOut, .signingIn, .fresh, .signingOut: nil
        }
    }

    /// Seconds since the story began.
    mutating func wait(until seconds: Double) {
        now = Moment(
            now: EventScript.start.now.advanced(bySeconds: seconds),
            wall: EventScript.start.wall.addingTimeInterval(seconds)
        )
    }

    mutating func wait(_ seconds: Double) {
        now = Moment(
            now: now.now.advanced(bySeconds: seconds),
            wall: now.wall.addingTimeInterval(seconds)
        )
    }

    func instant(_ seconds: Double) -> Instant {
        now.now.advanced(bySeconds: seconds)
    }
}
