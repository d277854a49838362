import Lifecycle
import Sessions
import Timekeeping

/// A run whose events are printed as JSON lines.
struct LineRun {
    let store: SessionStore
    let run: SessionRun

    func run() async -> RunEnd {
        let printed = store.events.events()
        let watched = store.events.events()
        let recorded = store.events.events()
        let signals = SignalWatch()
        let deadline = run.deadline
        let time = run.environment.time
        let every = run.requestEvery
        return await withTaskGroup(of: RunEnd?.self) { group in
            group.addTask {
                await store.run(requestEvery: every)
                return nil
            }
            group.addTask { await Self.printLines(printed) }
            group.addTask {
                await run.keepRecords(of: store, recorded)
                return nil
            }
            group.addTask {
                var hasTokens = false
                for await event in watched {
                    if case .tokensIssued = event.kind { hasTokens = true }
                    // A login that renews may fail as any renewal does: the session goes on.
                    if case .loginFailed = event.kind, hasTokens { continue }
                    if let end = RunEnd(event) { return end }
                }
                return nil
            }
            group.addTask {
                for await signal in signals.signals { return .interrupted(signal: signal) }
                return nil
            }
            if let deadline {
                group.addTask {
                    guard (try? await time.sleep(until: deadline)) != nil else { return nil }
                    return .timeUp
                }
            }
            var end = RunEnd.quit
            while let next = await group.next() {
                if let next {
                    end = next
                    break
                }
            }
            if end != .outputClosed { await store.leave() }
            group.cancelAll()
            return end
        }
    }

    /// Prints until the store has ended and everything is out.
    private static func printLines(_ events: AsyncStream<SessionEvent>) async -> RunEnd? {
        for await event in events {
            guard StandardOutput.write(EventLine.text(of: event)) else { return .outputClosed }
        }
        return nil
    }
}
