import Basics
import FoundationEssentials
import Model
import Profiles

@testable import Backend
@testable import Observer

/// A check against the pure backend on virtual time.
struct VirtualCheck {
    let dialect: Dialect
    let policy: BackendPolicy
    var options = CheckOptions(interval: 0.05)
    var faults: [FaultSetting] = []
    var seed: UInt64 = 1
    var feed = VirtualFeed()
    /// Whether a logout ends every session of the user.
    var logoutEndsAll = false
    /// Whether a logout is acknowledged and ends nothing.
    var ignoresLogouts = false
    var trouble = VirtualTrouble()
    /// When the user stops it, in seconds.
    var stopsAt: Double?

    private enum Event {
        case arrives(CheckRequest, sentAt: Moment)
        case dials(CheckDial, sentAt: Moment)
        case dialed(Int, Outcome<WireResponse>?, sentAt: Moment)
        case closes(Int, code: Int)
        case loggedIn(Int, IssuedTokens?, sentAt: Moment)
        case ends(id: Int, Outcome<WireResponse>, sentAt: Moment)
        case wakes
        case stops
    }

    private static let start = Moment(
        now: .origin,
        wall: Date(timeIntervalSince1970: 1_800_000_000)
    )
    /// The time for which an answer is awaited, in seconds.
    private static let timeout = 10.0

    /// Whether the profile can end one session.
    var hasLogout: Bool { dialect.logoutScopes.filter(dialect.namesSession).contains(.this) }

    static let credentials = [
        "email": Secret("user@example.com"), "username": Secret("sandbox"),
        "password": Secret("password"), "code": Secret("123456"),
        "identity_token": Secret("sandbox"), "client_id": Secret("sandbox"),
        "client_secret": Secret("secret"),
    ]

    /// Runs the check, and returns its report, its duration in seconds, and how many sessions are alive
    /// at the end.
    func run() -> (report: CheckReport, seconds: Double, alive: Int) {
        var random = SeededGenerator(seed: seed)
        var backend = AuthBackend(seed: random.next())
        var controller = FaultController(faults)
        var feed = feed
        var trouble = trouble
        var machine = CheckMachine(
            dialect: dialect,
            credentials: Self.credentials,
            options: options
        )
        var events: [(at: Double, number: Int, event: Event)] = []
        var number = 0
        var timers: [Double] = []
        func moment(_ seconds: Double) -> Moment {
            Moment(
                now: Instant.origin.advanced(bySeconds: seconds),
                wall: Self.start.wall.addingTimeInterval(seconds)
            )
        }
        func add(_ at: Double, _ event: Event) {
            number += 1
            events.append((at, number, event))
        }
        func latency() -> Double { random.uniform(0.002...0.03) }
        func perform(_ effects: [CheckEffect], at now: Double) {
            for effect in effects {
                switch effect {
                case .send(let request):
                    add(now + latency(), .arrives(request, sentAt: moment(now)))
                case .logIn(let id):
                    let tokens = logIn(at: now, &backend, &controller, &random)
                    add(now + latency(), .loggedIn(id, tokens, sentAt: moment(now)))
                case .dial(let dial): add(now + latency(), .dials(dial, sentAt: moment(now)))
                case .close(let socket): feed.sockets[socket] = nil
                case .wake(let instant):
                    // A nanosecond later, whatever is rounded.
                    let at = instant.seconds(since: .origin) + 2e-9
                    // An earlier timer asks again for the time after it.
                    guard timers.allSatisfy({ $0 > at }) else { continue }
                    timers.append(at)
                    add(at, .wakes)
                }
            }
        }
        var now = 0.0
        if let stopsAt { add(stopsAt, .stops) }
        perform(machine.begin(at: moment(0)), at: 0)
        while !machine.isOver, now < 1_000,
            let next = events.indices.min(by: {
                (events[$0].at, events[$0].number) < (events[$1].at, events[$1].number)
            })
        {
            let (at, _, event) = events.remove(at: next)
            now = max(now, at)
            timers.removeAll { $0 <= now }
            switch event {
            case .wakes: perform(machine.handle(.woken, at: moment(now)), at: now)
            case .stops: perform(machine.stop(at: moment(now)), at: now)
            case .ends(let id, let outcome, let sentAt):
                let input = CheckInput.answered(
                    id: id,
                    outcome,
                    sentAt: sentAt,
                    endedAt: moment(now)
                )
                perform(machine.handle(input, at: moment(now)), at: now)
            case .dialed(let id, let refusal, let sentAt):
                let input = CheckInput.dialed(
                    socket: id,
                    refusal,
                    sentAt: sentAt,
                    endedAt: moment(now)
                )
                perform(machine.handle(input, at: moment(now)), at: now)
            case .loggedIn(let id, let tokens, let sentAt):
                let input = CheckInput.loggedIn(
                    id: id,
                    tokens,
                    sentAt: sentAt,
                    endedAt: moment(now)
                )
                perform(machine.handle(input, at: moment(now)), at: now)
            case .closes(let id, let code):
                guard feed.sockets.removeValue(forKey: id) != nil else { break }
                perform(machine.handle(.socketClosed(id, code: code), at: moment(now)), at: now)
            case .dials(let dial, let sentAt):
                let wall = Self.start.wall.timeIntervalSince1970
                let opening = feed.open(dial, in: dialect, policy, of: backend, at: wall + now)
                let delay = latency()
                add(now + delay, .dialed(dial.id, opening.refusal, sentAt: sentAt))
                for close in opening.closes {
                    add(max(close.at - wall, now + 2 * delay), .closes(dial.id, code: close.code))
                }
            case .arrives(let request, let sentAt):
                var (outcome, delay) =
                    trouble.outcome(of: request, in: dialect, at: now).map { ($0, 0) }
                    ?? answer(
                        to: request.request,
                        at: Self.start.wall.timeIntervalSince1970 + now,
                        &backend,
                        &controller,
                        &random
                    )
                trouble.apply(&outcome, of: request.request, in: dialect)
                let closed = feed.closed(
                    by: request.request,
                    outcome,
                    in: dialect,
                    policy,
                    of: backend,
                    at: Self.start.wall.timeIntervalSince1970 + now
                )
                for (id, code) in closed { add(now + latency(), .closes(id, code: code)) }
                let isLate = delay > Self.timeout
                add(
                    now + (isLate ? Self.timeout : delay) + latency(),
                    .ends(
                        id: request.id,
                        isLate ? .unanswered(detail: "timeout") : outcome,
                        sentAt: sentAt
                    )
                )
            }
        }
        let state = backend.state(
            fingerprints: Fingerprinter(salt: Array(repeating: 0, count: 16)),
            at: Self.start.wall.timeIntervalSince1970 + now
        )
        return (machine.report, now, state.sessions.count { $0.ended == nil })
    }

    /// Logs in as a command of the user does.
    private func logIn(
        at now: Double,
        _ backend: inout AuthBackend,
        _ controller: inout FaultController,
        _ random: inout SeededGenerator
    ) -> IssuedTokens? {
        guard let request = try? dialect.loginRequest(Self.credentials),
            case (.answered(let response), _) = answer(
                to: request,
                at: Self.start.wall.timeIntervalSince1970 + now,
                &backend,
                &controller,
                &random
            ), case .issued(let tokens) = dialect.readLogin(response, credentials: Self.credentials)
        else { return nil }
        return tokens
    }

    private func answer(
        to request: WireRequest,
        at now: Double,
        _ backend: inout AuthBackend,
        _ controller: inout FaultController,
        _ random: inout SeededGenerator
    ) -> (Outcome<WireResponse>, delay: Double) {
        guard var recognized = dialect.recognize(request) else {
            return (.answered(WireResponse(status: 404)), 0)
        }
        if logoutEndsAll, case .logout(_, let refresh, let access) = recognized {
            recognized = .logout(.everywhere, refresh: refresh, access: access)
        }
        if ignoresLogouts, case .logout = recognized {
            return (.answered(WireResponse(status: 200, body: Array("{}".utf8))), 0)
        }
        let faults = controller.faults(for: ExchangeKind(recognized), drawing: &random)
        var exchange = backend.begin(recognized, in: policy, under: faults, drawing: &random)
        backend.finish(
            &exchange,
            writing: dialect.answer,
            in: policy,
            under: faults,
            drawing: &random,
            at: now + exchange.delayBefore
        )
        let delay = exchange.delayBefore + exchange.delayAfter
        guard exchange.delivery == .whole, let response = exchange.response else {
            return (.unanswered(detail: "closed"), delay)
        }
        return (.answered(response), delay)
    }
}

extension FaultSetting {
    /// The faults of a network and of overloaded servers: this many in a hundred exchanges.
    static func transient(percent: Double) throws -> [FaultSetting] {
        let names = [
            "drop-after-commit", "drop-request", "delay", "truncated-body", "html-200",
            "rate-limit", "server-error", "error-after-commit", "not-found", "bare-refusal",
        ]
        let share = percent / 100 / Double(names.count)
        return try names.map { try FaultSetting(parsing: "\($0):p=\(share)", at: .backend) }
    }
}
