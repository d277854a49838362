import Basics
import Client
import Model
import Platform
import Profiles
import UI

/// One operation on one profile's session, from reading the vault to its end.
struct OperationRun {
    let chosen: ChosenProfile
    let credentials: FixedCredentials
    /// Whether to print events in place of text.
    let printsEvents: Bool
    /// Whether to use the sandbox's own requests if the backend is the sandbox.
    var asksSandbox = false
    let log: EventLog?
    let environment: LiveEnvironment
    /// The user's way to log in, if the profile needs a browser.
    var signIn = SessionPlan.SignIn.never
    /// The profile's dialect with another login, which takes the place of a session that is alive; or
    /// `nil`.
    var otherLogin: Dialect?
    /// Keeps the responses of a trial.
    var recorder: TrialRecorder?
    /// Counts what happens, or `nil` if no monitor reads it.
    var monitor: Monitor?

    /// The result of an operation, and the session as it was then.
    struct Outcome<Value: Sendable>: Sendable {
        var value: Value
        var session: SessionSnapshot
    }

    private enum End<Value: Sendable>: Sendable {
        case returned(Result<Value, CommandFailure>)
        case interrupted(signal: Int32)
        case outputClosed
    }

    /// The report of a task of the run.
    private enum Report<Value: Sendable>: Sendable {
        case end(End<Value>)
        case read(SessionSnapshot, isOutputOpen: Bool)
        case nothing
    }

    /// Opens the session, and does something with it.
    ///
    /// - Parameters:
    ///   - seconds: The time that the action may take; then it is cancelled. `nil`: any.
    ///   - isPaused: Whether a session that is being ended, or only inspected, is not refreshed first.
    ///   - action: The action; a call of the store that is cancelled returns the result so far.
    /// - Returns: The result of the action, or `nil` if the output was closed.
    /// - Throws: `CommandFailure` if it failed.
    func follow<Value: Sendable>(
        within seconds: Double?,
        isPaused: Bool = false,
        _ action:
            @escaping @Sendable (SessionStore) async throws(CommandFailure) -> Value
    ) async throws -> Outcome<Value>? {
        let (end, session) = try await withNetwork(chosen.network) { network in
            var plan = plan
            if asksSandbox { plan = try await plan.withSandboxFeed(on: network, in: environment) }
            let store = try plan.store(with: credentials, on: network, in: environment)
            if isPaused { await store.send(.setPaused(.timer)) }
            return await follow(store, within: seconds, action)
        }
        switch end {
        case .interrupted(let signal): ProgramExit.leave(128 + signal)
        case .outputClosed: return nil
        case .returned(let result): return Outcome(value: try result.get(), session: session)
        }
    }

    /// Prints the outcome of an operation, with what is known of the held pair.
    func report(_ outcome: Outcome<String>?) {
        guard let outcome else { return }
        var rows = TextRows()
        PairRows(session: outcome.session, moment: environment.time.moment, clock: clock)
            .add(to: &rows)
        report(outcome.value, rows.lines)
    }

    func report(_ message: String, _ details: [String]) {
        guard !printsEvents else { return }
        for line in ["\(chosen.name): \(message)"] + details where !StandardOutput.write(line) {
            return
        }
    }

    var clock: ClockFormatter {
        ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
    }

    private var plan: SessionPlan {
        var plan = chosen.plan(
            with: credentials,
            fingerprinter: environment.fingerprinter(),
            in: environment
        )
        plan.isWatched = false
        if let otherLogin {
            plan.dialect = otherLogin
            plan.loginReplaces = true
        }
        plan.signIn = signIn
        plan.recorder = recorder
        plan.onWait = { [profile = chosen.name] detail in
            let message = "\(profile): \(detail): trying again for some seconds"
            StandardError.write("authtop: \(message.visibleInOneLine)")
        }
        return plan
    }

    // MARK: - The tasks of a run

    private func follow<Value: Sendable>(
        _ store: SessionStore,
        within seconds: Double?,
        _ action: @escaping @Sendable (SessionStore) async throws(CommandFailure) -> Value
    ) async -> (End<Value>, SessionSnapshot) {
        let events = store.events.events()
        let counted = monitor?.events(of: store.events)
        let signals = SignalWatch()
        let time = environment.time
        let deadline = seconds.map { time.now.advanced(bySeconds: $0) }
        return await withTaskGroup(of: Report<Value>.self) { group in
            group.addTask {
                await store.run()
                return .nothing
            }
            group.addTask {
                .end(
                    await time.limited(to: deadline) {
                        do throws(CommandFailure) {
                            return .returned(.success(try await action(store)))
                        } catch {
                            return .returned(.failure(error))
                        }
                    }
                )
            }
            group.addTask {
                for await signal in signals.signals {
                    signals.leaveAtNext()
                    return .end(.interrupted(signal: signal))
                }
                return .nothing
            }
            group.addTask { await read(events) }
            if let monitor, let counted {
                group.addTask {
                    await monitor.follow(counted)
                    return .nothing
                }
            }
            var end: End<Value>?
            var session = SessionSnapshot()
            for await report in group {
                switch report {
                case .nothing: continue
                case .end(let first):
                    end = end ?? first
                    // The events of the session so far are read to their end.
                    store.events.finish()
                    continue
                case .read(let snapshot, let isOutputOpen):
                    session = snapshot
                    if !isOutputOpen { end = .outputClosed }
                }
                break
            }
            // A logout that is being sent, such as an earlier one, is not interrupted.
            if case .returned? = end, deadline.map({ time.now < $0 }) ?? true {
                await store.flushRevocations()
            }
            await store.leave()
            // The last decisions, such as a pending logout, are stored.
            await store.flushWrites()
            await monitor?.finish()
            group.cancelAll()
            return (end ?? .outputClosed, session)
        }
    }

    /// Follows the events to their end, or until the output is closed.
    private func read<Value>(_ events: EventStream) async -> Report<Value> {
        var session = SessionSnapshot()
        for await event in events {
            session.apply(event)
            log?.record(event)
            if let problem = log?.takeProblem() { StandardError.write("authtop: \(problem)") }
            guard emit(event) else { return .read(session, isOutputOpen: false) }
            if let prompt = event.kind as? AuthorizationPrompt { StandardError.write(prompt) }
        }
        return .read(session, isOutputOpen: true)
    }

    /// - Returns: `false` if the output was closed.
    private func emit(_ event: SessionEvent) -> Bool {
        // The pause with which some operations begin is not reported.
        if event.kind is RenewalPaused { return true }
        return !printsEvents || StandardOutput.write(EventLine.text(of: event, causes: CauseText()))
    }
}

extension Timekeeper {
    /// Performs an action, which is cancelled at the deadline, if there is one.
    func limited<Value: Sendable>(
        to deadline: Instant?,
        _ action: @escaping @Sendable () async -> Value
    ) async -> Value {
        guard let deadline else { return await action() }
        let work = Task { await action() }
        let limit = Task {
            guard (try? await sleep(until: deadline)) != nil else { return }
            work.cancel()
        }
        return await withTaskCancellationHandler {
            let value = await work.value
            limit.cancel()
            return value
        } onCancel: {
            work.cancel()
        }
    }
}
