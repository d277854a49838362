import Basics
import Client
import Model
import Observer
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
    var signIn = SignIn.never
    /// Keeps the responses of a trial.
    var recorder: TrialRecorder?

    enum SignIn: Sendable {
        /// In the browser that is started with the URL.
        case browser
        /// In any browser, with the URL that is printed.
        case byHand
        /// Not at all, as for a script.
        case never
    }

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
    ///   - seconds: The time that the action may take; then it is cancelled.
    ///   - isPaused: Whether a session that is being ended, or only inspected, is not refreshed first.
    ///   - action: The action; a call of the store that is cancelled returns the result so far.
    /// - Returns: The result of the action, or `nil` if the output was closed.
    /// - Throws: `CommandFailure` if it failed.
    func follow<Value: Sendable>(
        within seconds: Double,
        isPaused: Bool = false,
        _ action:
            @escaping @Sendable (SessionStore) async throws(CommandFailure) -> Value
    ) async throws -> Outcome<Value>? {
        let (end, session) = try await withNetwork(chosen.network) { network in
            var dialect = chosen.dialect
            if asksSandbox {
                dialect = try await SandboxFeed(network: network, origin: chosen.origin)
                    .added(to: dialect, time: environment.time)
            }
            let store = try store(dialect, on: network)
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

    private func store(_ dialect: Dialect, on network: NetworkContext) throws -> SessionStore {
        SessionStore(
            profile: chosen.name,
            dialect: dialect,
            baseURL: chosen.origin.description,
            requestEvery: nil,
            logsInAtStart: false,
            followsFeed: false,
            random: SeededGenerator(seed: environment.randomSeed()),
            environment: SessionEnvironment(
                time: environment.time,
                transport: transport(dialect, on: network),
                feed: try network.feedTransport(to: chosen.origins),
                vault: chosen.vault,
                credentials: credentials,
                fingerprinter: environment.fingerprinter(),
                browser: signIn == .never
                    ? nil : environment.browser(on: network, opens: signIn == .browser),
                idTokens: ProviderKeys(
                    network: network,
                    time: environment.time,
                    security: chosen.origins.security
                ),
                prover: environment.prover(signingWith: chosen.signingKey)
            )
        )
    }

    private func transport(_ dialect: Dialect, on network: NetworkContext) -> any TokenTransport {
        let transport = FirstLoginTransport(
            over: network.tokenTransport(to: chosen.origins),
            dialect: dialect,
            time: environment.time
        ) { [profile = chosen.name] detail in
            let message = "\(profile): \(detail): trying again for some seconds"
            StandardError.write("authtop: \(message.visibleInOneLine)")
        }
        guard let recorder else { return transport }
        return RecordingTransport(base: transport, dialect: dialect, recorder: recorder)
    }

    // MARK: - The tasks of a run

    private func follow<Value: Sendable>(
        _ store: SessionStore,
        within seconds: Double,
        _ action: @escaping @Sendable (SessionStore) async throws(CommandFailure) -> Value
    ) async -> (End<Value>, SessionSnapshot) {
        let events = store.events.events()
        let signals = SignalWatch()
        let time = environment.time
        let deadline = time.now.advanced(bySeconds: seconds)
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
                for await signal in signals.signals { return .end(.interrupted(signal: signal)) }
                return .nothing
            }
            group.addTask { await read(events) }
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
            if case .returned? = end, time.now < deadline { await store.flushRevocations() }
            // The last decisions, such as a pending logout, are stored.
            await store.flushWrites()
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
    /// Performs an action, which is cancelled at the deadline.
    func limited<Value: Sendable>(
        to deadline: Instant,
        _ action: @escaping @Sendable () async -> Value
    ) async -> Value {
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
