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
    /// Whether to print one JSON object per line in place of text.
    var printsObjects = false
    /// Whether to use the sandbox's own requests if the backend is the sandbox.
    var asksSandbox = false
    let log: EventLog?
    let environment: LiveEnvironment
    /// How the user signs in, if the profile needs a browser.
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

    private enum Input: Sendable {
        case event(SessionEvent)
        case answered(CustomResponse)
        case granted(Result<TokenGrant, WaitFailure>)
        case outOfTime
        case interrupted(signal: Int32)
    }

    /// What an operation waits for besides events.
    private enum Question: Sendable {
        case request(CustomRequest)
        case token
    }

    private enum End: Sendable {
        case operation(OperationEnd)
        case interrupted(signal: Int32)
        case outputClosed
    }

    /// Runs the operation, and prints its outcome.
    ///
    /// - Throws: `CommandFailure` if it failed.
    func run(_ operation: some SessionOperation) async throws {
        guard let (end, session) = try await end(of: operation), !printsEvents else { return }
        report(operation, end.message, session)
    }

    /// Runs the operation, and returns its outcome as text.
    func message(of operation: some SessionOperation) async throws -> String {
        try await end(of: operation)?.end.message ?? ""
    }

    /// Sends a custom request, and returns the response.
    func answer(to operation: RequestOperation) async throws -> (
        message: String, answer: CustomResponse
    )? {
        guard case .answered(let message, let answer)? = try await end(of: operation)?.end
        else { return nil }
        return (message, answer)
    }

    /// Returns an access token that no renewal is due for.
    func token() async throws -> AccessToken? {
        let operation = TokenOperation(
            profile: chosen.name,
            canLogIn: credentials.problems.isEmpty && !chosen.dialect.needsBrowser
        )
        guard case .granted(let grant)? = try await end(of: operation)?.end else { return nil }
        return grant.token
    }

    /// Runs the operation, and returns its outcome, or `nil` if the output was closed.
    ///
    /// - Throws: `CommandFailure` if it failed.
    private func end(
        of operation: some SessionOperation
    ) async throws -> (end: OperationEnd, session: SessionSnapshot)? {
        let (end, session) = try await withNetwork(chosen.network) { network in
            var dialect = chosen.dialect
            if asksSandbox {
                dialect = try await SandboxFeed(network: network, origin: chosen.origin)
                    .added(to: dialect, time: environment.time)
            }
            return await follow(operation, in: try store(dialect, on: network))
        }
        switch end {
        case .operation(.failed(let failure)): throw failure
        case .interrupted(let signal): ProgramExit.leave(128 + signal)
        case .outputClosed: return nil
        case .operation(let end): return (end, session)
        }
    }

    private func report(
        _ operation: some SessionOperation,
        _ message: String,
        _ session: SessionSnapshot
    ) {
        let clock = ClockFormatter(utcOffsetSeconds: environment.utcOffsetSeconds)
        let details = operation.details(of: session, at: environment.time.moment, clock)
        let lines =
            printsObjects
            ? operation.objects(of: session) : ["\(chosen.name): \(message)"] + details
        for line in lines where !StandardOutput.write(line) { return }
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
        let transport = network.tokenTransport(to: chosen.origins)
        guard let recorder else { return transport }
        return RecordingTransport(base: transport, dialect: dialect, recorder: recorder)
    }

    private func follow<Operation: SessionOperation>(
        _ operation: Operation,
        in store: SessionStore
    ) async -> (end: End, session: SessionSnapshot) {
        let (inputs, input) = AsyncStream.makeStream(of: Input.self)
        let events = store.events.events()
        let signals = SignalWatch()
        let time = environment.time
        let deadline = time.now.advanced(bySeconds: operation.timeout)
        let (questions, question) = AsyncStream.makeStream(of: Question.self)
        for input in operation.beginning { await store.send(input) }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await store.run() }
            group.addTask {
                for await event in events { input.yield(.event(event)) }
            }
            group.addTask {
                for await question in questions {
                    switch question {
                    case .request(let request):
                        input.yield(.answered(await store.ask(request, why: .custom)))
                    case .token:
                        input.yield(.granted(await store.token(by: deadline)))
                    }
                }
            }
            group.addTask {
                for await signal in signals.signals { input.yield(.interrupted(signal: signal)) }
            }
            group.addTask {
                guard (try? await time.sleep(until: deadline)) != nil else { return }
                input.yield(.outOfTime)
            }
            let result = await decide(operation, on: inputs, store, question)
            // A logout that is being sent, such as an earlier one, is not interrupted.
            if case .operation = result.end, time.now < deadline { await store.flushRevocations() }
            // The last decisions, such as a pending logout, are stored.
            await store.flushWrites()
            group.cancelAll()
            return result
        }
    }

    private func decide(
        _ operation: some SessionOperation,
        on inputs: AsyncStream<Input>,
        _ store: SessionStore,
        _ question: AsyncStream<Question>.Continuation
    ) async -> (end: End, session: SessionSnapshot) {
        var operation = operation
        var session = SessionSnapshot()
        for await input in inputs {
            let step: OperationStep
            switch input {
            case .outOfTime: return (.operation(operation.outOfTime(session)), session)
            case .interrupted(let signal): return (.interrupted(signal: signal), session)
            case .event(let event):
                session.apply(event)
                log?.note(event)
                if let problem = log?.takeProblem() { StandardError.write("authtop: \(problem)") }
                guard emit(event) else { return (.outputClosed, session) }
                if case .authorizationRequested(let prompt) = event.kind {
                    StandardError.write(prompt)
                }
                step = operation.step(event, session)
            case .answered(let answer): step = operation.answered(answer)
            case .granted(let result): step = operation.granted(result, session)
            }
            switch step {
            case .wait: break
            case .ask(let request): question.yield(.request(request))
            case .awaitToken: question.yield(.token)
            case .send(let input): await store.send(input)
            case .end(let end): return (.operation(end), session)
            }
        }
        return (.operation(operation.outOfTime(session)), session)
    }

    /// - Returns: `false` if the output was closed.
    private func emit(_ event: SessionEvent) -> Bool {
        // The pause with which some operations begin is not reported.
        if case .paused = event.kind { return true }
        return !printsEvents || StandardOutput.write(EventLine.text(of: event, causes: CauseText()))
    }
}

extension OperationEnd {
    /// The outcome as text, which is empty for a token.
    var message: String {
        switch self {
        case .done(let message), .answered(let message, _): message
        case .failed(let failure): failure.message
        case .granted: ""
        }
    }
}

extension SessionStore {
    fileprivate func token(by deadline: Instant) async -> Result<TokenGrant, WaitFailure> {
        do throws(WaitFailure) {
            return .success(try await freshToken(by: deadline))
        } catch {
            return .failure(error)
        }
    }
}
