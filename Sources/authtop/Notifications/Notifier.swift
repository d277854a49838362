import Basics
import Client
import Glibc
import Model
import Platform
import Profiles
import UI

/// Tells programs, webhooks and the terminal of what happens in a run.
///
/// `NotificationMachine` decides of what, and when; here that is done.
actor Notifier {
    /// The time that a program may run.
    private static let programTime = Duration.seconds(30)
    /// The time for which the answer of a webhook is awaited.
    private static let answerTime = Duration.seconds(5)
    /// The time that is left at the end of the run for what is still to be told.
    private static let endTime = Duration.seconds(2)
    /// The part of it after which the user is told what is waited for.
    private static let silentTime = Duration.milliseconds(300)

    /// How the terminal is told.
    let terminal: NotificationSettings.TerminalWay

    private let hooks: [Hook]
    private let rules: [NotificationRule]
    private let environment: LiveEnvironment
    private let network: NetworkConfiguration
    private let timer: DeadlineTimer
    private var machine: NotificationMachine
    /// What is due; at most `NotificationMachine.runningLimit` for each rule.
    private let notifications: AsyncStream<Notification>
    private let due: AsyncStream<Notification>.Continuation
    /// When the run ends at the latest, once its end has begun.
    private var endsBy: Instant?
    /// When the user is told what is waited for, and how; `nil` from then on.
    private var explanation: (at: Instant, say: @Sendable (String) -> Void)?
    /// The rules whose failure was told.
    private var failed: Set<Int> = []

    /// Creates a notifier; `nil` if the user wants to be told of nothing.
    ///
    /// - Parameters:
    ///   - settings: The user's settings.
    ///   - hasScreen: Whether there is a screen, whose terminal can be told.
    ///   - environment: The environment.
    /// - Throws: `CommandFailure` if the network cannot be used.
    init?(
        _ settings: NotificationSettings,
        hasScreen: Bool,
        in environment: LiveEnvironment
    ) throws {
        terminal = settings.terminal
        hooks = settings.hooks
        rules =
            settings.hooks.map(\.rule)
            + (hasScreen && settings.terminal != .off ? [.standard] : [])
        guard !rules.isEmpty else { return nil }
        self.environment = environment
        network = try environment.networkConfiguration(caFile: nil)
        timer = DeadlineTimer(environment.time)
        machine = NotificationMachine(rules)
        (notifications, due) = AsyncStream.makeStream()
    }

    /// Returns the events among those of a hub that matter here.
    nonisolated func events(of hub: EventHub) -> EventStream {
        hub.events { [rules] event in rules.contains { $0.concerns(event) } }
    }

    /// Takes events in until they end.
    func follow(_ events: EventStream) async {
        for await batch in events.batches {
            let moment = environment.time.moment
            start(batch.flatMap { machine.receive($0, at: moment) })
        }
    }

    /// Delivers notifications until `end()` was called and everything has been told.
    ///
    /// - Parameters:
    ///   - warn: Called with the first failure of each hook.
    ///   - announce: Tells the terminal.
    func run(
        warn: @escaping @Sendable (String) -> Void,
        announce: @escaping @Sendable (Notification) -> Void = { _ in }
    ) async {
        let posts = hooks.contains { if case .post = $0.action { true } else { false } }
        guard posts else { return await deliver(over: nil, warn, announce) }
        await withNetwork(network) { network in await deliver(over: network, warn, announce) }
    }

    /// Takes in no more events, and lets what is still to be told end within `endTime`.
    ///
    /// - Parameter say: Called with what is waited for, if that takes longer than a moment.
    func end(_ say: @escaping @Sendable (String) -> Void) {
        machine.finish()
        let now = environment.time.now
        endsBy = now + Self.endTime
        explanation = (now + Self.silentTime, say)
        advance()
    }

    /// Tells of the events of a hub while something is done, and then of what is still to be told.
    ///
    /// - Returns: What `body` returns.
    nonisolated func tell<Value: Sendable>(
        of hub: EventHub,
        during body: () async -> Value
    ) async -> Value {
        let events = events(of: hub)
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await self.follow(events)
                return false
            }
            group.addTask {
                await self.run { StandardError.write("authtop: \($0)") }
                return true
            }
            let value = await body()
            await end { StandardError.write("authtop: \($0)") }
            for await isTold in group where isTold { break }
            group.cancelAll()
            return value
        }
    }

    private func explain(at now: Instant) {
        guard let explanation, explanation.at <= now else { return }
        self.explanation = nil
        let busy = machine.busyRules.filter { $0 < hooks.count }.map { hooks[$0] }
        guard let first = busy.first else { return }
        let others = busy.count > 1 ? " and \(CountFormatter.count(busy.count - 1, "other"))" : ""
        explanation.say(
            "waiting for \(first.target) (\(first.place))\(others), "
                + "\(Self.endTime.components.seconds) s at most: Ctrl-C ends at once"
        )
    }

    private func deliver(
        over network: NetworkContext?,
        _ warn: @escaping @Sendable (String) -> Void,
        _ announce: @escaping @Sendable (Notification) -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepTime() }
            for await notification in notifications {
                guard notification.rule < hooks.count else {
                    announce(notification)
                    delivered(notification)
                    continue
                }
                let hook = hooks[notification.rule]
                group.addTask {
                    let failure = await self.deliver(notification, by: hook, over: network)
                    await self.delivered(notification, failure.map { (hook: hook, text: $0) }, warn)
                }
            }
            group.cancelAll()
        }
    }

    private func keepTime() async {
        await timer.run(nextDeadline: { deadline }, tick: { advance() })
    }

    private var deadline: Instant? {
        [machine.nextDeadline, explanation?.at, endsBy].compactMap(\.self).min()
    }

    private func advance() {
        explain(at: environment.time.now)
        start(machine.advance(to: environment.time.moment))
    }

    private func start(_ notifications: [Notification]) {
        for notification in notifications { due.yield(notification) }
        if let endsBy, machine.busyRules.isEmpty || endsBy <= environment.time.now { due.finish() }
        timer.deadlineChanged(to: deadline)
    }

    private func delivered(
        _ notification: Notification,
        _ failure: (hook: Hook, text: String)? = nil,
        _ warn: @Sendable (String) -> Void = { _ in }
    ) {
        if let failure, failed.insert(notification.rule).inserted {
            warn("\(failure.hook.place): \(failure.text); further failures are not told")
        }
        start(machine.delivered(by: notification.rule, at: environment.time.moment))
    }

    /// Returns why the notification was not delivered, or `nil` if it was.
    private nonisolated func deliver(
        _ notification: Notification,
        by hook: Hook,
        over network: NetworkContext?
    ) async -> String? {
        let line = EventLine.text(of: notification, causes: CauseText())
        switch hook.action {
        case .run(let words):
            let program = UnattendedProgram(
                words,
                variables: environment.variables,
                timeout: Self.programTime,
                time: environment.time
            )
            do throws(UnattendedProgram.Failure) {
                try await program.run(input: line + "\n")
                return nil
            } catch {
                return "\(words[0]) \(error.text)"
            }
        case .post(let address):
            guard let network else { return nil }
            let report = await network.tokenTransport(to: address.origin).send(
                WireRequest(
                    method: "POST",
                    target: address.target,
                    headers: [WireHeader("content-type", "application/json")],
                    body: Array(line.utf8)
                ),
                connection: .own,
                deadline: environment.time.now + Self.answerTime
            )
            return report.outcome.failure.map { "\(hook.target) \($0)" }
        }
    }
}

extension Hook {
    /// The program or the address, for messages.
    fileprivate var target: String {
        switch action {
        case .run(let words): words[0].inOneLine(limit: 40)
        // The path may be a secret.
        case .post(let address): "the webhook at \(address.origin)"
        }
    }
}

extension UnattendedProgram.Failure {
    fileprivate var text: String {
        switch self {
        case .missing: "was not found"
        case .notStarted(let code): "could not be started: \(String(cString: strerror(code)))"
        case .exited(let code): "exited with \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        case .tookTooLong: "took too long, and was ended"
        }
    }
}

extension Outcome<WireResponse> {
    /// Why the request did not succeed, or `nil` if it did.
    fileprivate var failure: String? {
        switch self {
        case .notSent(let cause): "was not reached: \(CauseText().text(cause))"
        case .unanswered(let detail): "did not answer: \(detail)"
        case .answered(let answer):
            (200..<300).contains(answer.status) ? nil : "answered \(answer.status)"
        }
    }
}
