import Client
import Model
import Platform
import Profiles

/// What a run keeps of its sessions: the lines of a log, a recording, and the statistics of each
/// session, whose data is erased after a logout if its profile requires it.
struct RunRecords {
    private let run: SessionRun
    private var keepers: [SessionID: StatisticsKeeper] = [:]
    private var erasers: [SessionID: LogoutEraser] = [:]

    init(of run: SessionRun) {
        self.run = run
        for session in run.sessions {
            guard let localData = session.plan.localData else { continue }
            keepers[session.id] = StatisticsKeeper(
                file: localData.statistics,
                store: session.store,
                time: run.environment.time
            )
            guard session.plan.dialect.policy.erasesOnLogout else { continue }
            erasers[session.id] = LogoutEraser(localData)
        }
    }

    private var isEmpty: Bool { keepers.isEmpty && run.log == nil && run.recorder == nil }

    /// Keeps what belongs to the events until they end.
    ///
    /// - Parameters:
    ///   - events: All events of the run.
    ///   - output: Told why the recording stopped, or the log is not complete, and what was erased.
    mutating func keep(_ events: EventStream, on output: some RunOutput) async {
        guard !isEmpty else { return }
        for await batch in events.batches {
            for event in batch { await keep(event, on: output) }
        }
        for keeper in keepers.values { keeper.write() }
    }

    private mutating func keep(_ event: SessionEvent, on output: some RunOutput) async {
        run.log?.record(event)
        if let problem = run.log?.takeProblem() { output.warn(problem) }
        if let problem = run.recorder?.record(event) { output.warn(problem) }
        await keepers[event.session]?.record(event)
        guard let eraser = erasers[event.session]?.observe(event) else { return }
        keepers[event.session]?.forget()
        await run.session(event.session)?.store.flushWrites()
        output.notify(await eraser.erase())
    }
}
