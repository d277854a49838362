import Dashboard
import Dialects
import Lifecycle
import Networking
import Sessions
import Timekeeping
import Tokens

/// One act on one profile's session, from reading the vault to the act's end.
struct ActRun {
    let chosen: ChosenProfile
    let credentials: FixedCredentials
    /// Whether the events are the result, instead of words.
    let printsEvents: Bool
    /// Whether one JSON object a line is, instead of words.
    var printsObjects = false
    /// Whether the sandbox's own ways are used where it is the sandbox.
    var asksSandbox = false
    let log: EventLog?
    let environment: LiveEnvironment

    private enum Input: Sendable {
        case event(SessionEvent)
        case answered(CustomAnswer)
        case outOfTime
        case interrupted(signal: Int32)
    }

    private enum End: Sendable {
        case act(ActEnd)
        case interrupted(signal: Int32)
        case outputClosed
    }

    /// Does it, and prints what became of it.
    ///
    /// - Throws: `CommandFailure` where it was not done.
    func run(_ act: some SessionAct) async throws {
        guard let done = try await done(act), !printsEvents else { return }
        report(act, done.words, done.session)
    }

    /// Does it, and says what became of it without printing that.
    func words(of act: some SessionAct) async throws -> String {
        try await done(act)?.words ?? ""
    }

    /// Asks, and returns what came back without printing it.
    func answer(to act: RequestAct) async throws -> (words: String, answer: CustomAnswer)? {
        guard let done = try await done(act), let answer = done.answer else { return nil }
        return (done.words, answer)
    }

    /// Nil when nobody reads what is printed.
    private func done(
        _ act: some SessionAct
    ) async throws -> (words: String, session: SessionSnapshot, answer: CustomAnswer?)? {
        let (end, session) = try await withNetwork(chosen.network) { network in
            var dialect = chosen.dialect
            if asksSandbox {
                dialect = try await SandboxFeed(network: network, origin: chosen.origin)
                    .added(to: dialect, time: environment.time)
            }
            return await follow(act, in: try store(dialect, on: network))
        }
        switch end {
        case .act(.failed(let failure)): throw failure
        case .interrupted(let signal): ProgramExit.leave(128 + signal)
        case .outputClosed: return nil
        case .act(.done(let words)): return (words, session, nil)
        case .act(.answered(let words, let answer)): return (words, session, answer)
        }
    }

    private func report(_ act: some SessionAct, _ words: String, _ session: SessionSnapshot) {
        let clock = ClockWords(utcOffsetSeconds: environment.utcOffsetSeconds)
        let details = act.details(of: session, at: environment.time.moment, clock)
        let lines =
            printsObjects
            ? act.objects(of: session) : ["\(chosen.name): \(words)"] + details
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
                transport: network.tokenTransport(to: chosen.origin),
                feed: try network.feedTransport(to: chosen.origin),
                vault: chosen.vault,
                credentials: credentials,
                fingerprinter: environment.fingerprinter()
            )
        )
    }

    private func follow<Act: SessionAct>(
        _ act: Act,
        in store: SessionStore
    ) async -> (end: End, session: SessionSnapshot) {
        let (inputs, input) = AsyncStream.makeStream(of: Input.self)
        let events = store.events.events()
        let signals = SignalWatch()
        let time = environment.time
        let deadline = time.now.advanced(bySeconds: Act.patience)
        let (questions, question) = AsyncStream.makeStream(of: CustomRequest.self)
        for input in act.beginning { await store.send(input) }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { await store.run() }
            group.addTask {
                for await event in events { input.yield(.event(event)) }
            }
            group.addTask {
                for await request in questions {
                    input.yield(.answered(await store.ask(request, why: "asked by you")))
                }
            }
            group.addTask {
                for await signal in signals.signals { input.yield(.interrupted(signal: signal)) }
            }
            group.addTask {
                guard (try? await time.sleep(until: deadline)) != nil else { return }
                input.yield(.outOfTime)
            }
            let result = await decide(act, on: inputs, store, question)
            // Nor is what the backend is being told of cut off, such as an earlier logout.
            if case .act = result.end, time.now < deadline { await store.told() }
            // What was decided last, such as what is yet to be told the backend, is kept.
            await store.written()
            group.cancelAll()
            return result
        }
    }

    private func decide(
        _ act: some SessionAct,
        on inputs: AsyncStream<Input>,
        _ store: SessionStore,
        _ question: AsyncStream<CustomRequest>.Continuation
    ) async -> (end: End, session: SessionSnapshot) {
        var act = act
        var session = SessionSnapshot()
        for await input in inputs {
            let step: ActStep
            switch input {
            case .outOfTime: return (.act(act.outOfTime(session)), session)
            case .interrupted(let signal): return (.interrupted(signal: signal), session)
            case .event(let event):
                session.apply(event)
                log?.note(event)
                guard tell(event) else { return (.outputClosed, session) }
                step = act.step(event, session)
            case .answered(let answer): step = act.answered(answer)
            }
            switch step {
            case .wait: break
            case .ask(let request): question.yield(request)
            case .send(let input): await store.send(input)
            case .end(let end): return (.act(end), session)
            }
        }
        return (.act(act.outOfTime(session)), session)
    }

    /// - Returns: False when nobody reads any more.
    private func tell(_ event: SessionEvent) -> Bool {
        // The pause that an act begins with is its own affair.
        if case .paused = event.kind { return true }
        return !printsEvents || StandardOutput.write(EventLine.text(of: event))
    }
}
