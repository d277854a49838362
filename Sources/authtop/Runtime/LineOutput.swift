import Model
import UI

/// JSON lines of a run's events.
struct LineOutput: RunOutput {
    /// A report that may end the run.
    private enum Report: Sendable {
        /// A session ended, or is alive (again) if the end is `nil`.
        case session(SessionID, RunEnd?)
        case all(RunEnd)
    }

    private let ids: [SessionID]
    private let printer = EventPrinter()
    private let reports: AsyncStream<Report>
    private let report: AsyncStream<Report>.Continuation
    let isLossless: Bool
    let signals: SignalWatch? = SignalWatch()

    init(_ run: SessionRun) {
        ids = run.sessions.map(\.id)
        isLossless = !run.display.dropsEvents
        (reports, report) = AsyncStream.makeStream()
    }

    func put(_ events: [SessionEvent]) async -> Bool {
        for case let prompt as AuthorizationPrompt in events.map(\.kind) {
            StandardError.write(prompt)
        }
        return await printer.print(events)
    }

    func follow(_ ends: EventStream) async {
        var withTokens: Set<SessionID> = []
        for await event in ends {
            let session = event.session
            if event.kind is TokensIssued {
                withTokens.insert(session)
                report.yield(.session(session, nil))
            }
            // A login that renews the session may fail like any renewal: the session continues.
            if event.kind is LoginFailed, withTokens.contains(session) { continue }
            if let end = RunEnd(event) { report.yield(.session(session, end)) }
        }
    }

    func end(_ end: RunEnd) {
        report.yield(.all(end))
    }

    /// Waits until all sessions have ended, or something ends all of them.
    func result() async -> RunResult {
        var result = RunResult()
        for await report in reports {
            switch report {
            case .session(let id, let end):
                result.sessions[id] = end
                if result.sessions.count == ids.count { return result }
            case .all(let end):
                result.end = end
                if end != .timeUp { for id in ids { result.sessions[id] = end } }
                return result
            }
        }
        return result
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
