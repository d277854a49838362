import Basics
import Client
import Model
import Observer
import UI

/// A run whose events are printed as JSON lines.
struct LineRun {
    let run: SessionRun

    /// A report that may end the run.
    private enum Report: Sendable {
        /// A session ended, or is alive (again) if the end is `nil`.
        case session(SessionID, RunEnd?)
        case all(RunEnd)
    }

    /// - Returns: What ended the run, or `nil` if all sessions had ended, and how each session ended;
    ///   one that is missing was alive at the end.
    func run() async -> (end: RunEnd?, sessions: [SessionID: RunEnd]) {
        let printer = EventPrinter()
        let (reports, report) = AsyncStream.makeStream(of: Report.self)
        async let following: Void = follow(printer, report)
        let result = await watch(reports, printer, report)
        // What was relayed until now is still read, printed and recorded.
        await run.app?.end()
        await following
        return result
    }

    /// Watches the sessions until the run ends.
    private func watch(
        _ reports: AsyncStream<Report>,
        _ printer: EventPrinter,
        _ report: AsyncStream<Report>.Continuation
    ) async -> (end: RunEnd?, sessions: [SessionID: RunEnd]) {
        let signals = SignalWatch()
        let deadline = run.deadline
        let time = run.environment.time
        return await withTaskGroup(of: Void.self) { group in
            for session in run.sessions {
                let source = session.source
                let printed = source.events.events(isLossless: !run.display.dropsEvents)
                let watched = source.events.events { RunEnd.isDecided(by: $0) }
                let recorded = source.events.events()
                group.addTask { await session.run() }
                group.addTask {
                    for await events in printed.batches {
                        for case .authorizationRequested(let prompt) in events.map(\.kind) {
                            StandardError.write(prompt)
                        }
                        guard await printer.print(events) else {
                            report.yield(.all(.outputClosed))
                            return
                        }
                    }
                }
                group.addTask {
                    await session.keepRecords(of: recorded, in: run) {
                        StandardError.write("authtop: \($0)")
                    }
                }
                group.addTask {
                    await Self.watch(watched) { report.yield(.session(session.id, $0)) }
                }
            }
            group.addTask {
                for await signal in signals.signals {
                    report.yield(.all(.interrupted(signal: signal)))
                }
            }
            if let deadline {
                group.addTask {
                    guard (try? await time.sleep(until: deadline)) != nil else { return }
                    report.yield(.all(.timeUp))
                }
            }
            let (end, ends) = await self.end(of: reports)
            if end != .outputClosed { await run.leave() }
            group.cancelAll()
            return (end, ends)
        }
    }

    /// Reads, prints and records the traffic of the app, if there is one, until it has ended.
    private func follow(
        _ printer: EventPrinter,
        _ report: AsyncStream<Report>.Continuation
    ) async {
        guard let app = run.app else { return }
        let printed = app.store.events.events()
        let recorded = app.store.events.events()
        await withDiscardingTaskGroup { group in
            group.addTask { await app.run() }
            group.addTask {
                for await events in printed.batches {
                    guard await printer.print(events) else {
                        report.yield(.all(.outputClosed))
                        return
                    }
                }
            }
            group.addTask {
                await app.keepRecords(of: recorded, in: run) {
                    StandardError.write("authtop: \($0)")
                }
            }
        }
    }

    /// Waits until all sessions have ended, or something ends all of them.
    private func end(
        of reports: AsyncStream<Report>
    ) async -> (end: RunEnd?, sessions: [SessionID: RunEnd]) {
        var ends: [SessionID: RunEnd] = [:]
        for await report in reports {
            switch report {
            case .session(let id, let end):
                ends[id] = end
                if ends.count == run.sessions.count { return (nil, ends) }
            case .all(.timeUp): return (.timeUp, ends)
            case .all(let end):
                for session in run.sessions { ends[session.id] = end }
                return (end, ends)
            }
        }
        return (nil, ends)
    }

    /// Reports each end of a session, and each time that it is alive again.
    private static func watch(
        _ events: EventStream,
        report: (RunEnd?) -> Void
    ) async {
        var hasTokens = false
        for await event in events {
            if case .tokensIssued = event.kind {
                hasTokens = true
                report(nil)
            }
            // A login that renews the session may fail like any renewal: the session continues.
            if case .loginFailed = event.kind, hasTokens { continue }
            if let end = RunEnd(event) { report(end) }
        }
    }
}

/// Prints the events of all sessions, one after the other.
///
/// An actor, so that only one task waits for a slow reader of the output.
private actor EventPrinter {
    /// Writes the lines of events that arrived together at once.
    ///
    /// - Returns: `false` if the output was closed.
    func print(_ events: [SessionEvent]) -> Bool {
        let lines = events.map { EventLine.text(of: $0, causes: CauseText()) }
        return StandardOutput.write(lines.joined(separator: "\n"))
    }
}
