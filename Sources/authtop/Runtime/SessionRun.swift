import Dialects
import Lifecycle
import Networking
import Sessions
import Timekeeping

/// Sessions, watched until something ends the run.
struct SessionRun: Sendable {
    let sessions: [WatchedSession]
    let display: DisplayOptions
    let environment: LiveEnvironment
    /// Where what happens is written down; `nil`: nowhere.
    let log: EventLog?

    func run() async throws {
        for session in sessions {
            if let notice = session.vault.notice { StandardError.write("authtop: \(notice)") }
        }
        let ends: [SessionID: RunEnd]
        if display.wantsScreen {
            let end = try await ScreenRun(run: self).run()
            ends = Dictionary(uniqueKeysWithValues: sessions.map { ($0.id, end) })
        } else {
            ends = await LineRun(run: self).run()
        }
        var failures: [CommandFailure] = []
        for session in sessions {
            do throws(CommandFailure) {
                try (ends[session.id] ?? .timeUp)
                    .settle(profile: session.id.description, state: await session.source.state)
            } catch {
                failures.append(error)
            }
        }
        guard let worst = failures.min(by: { $0.exit.rawValue < $1.exit.rawValue }) else { return }
        for failure in failures where failure.message != worst.message {
            StandardError.write("authtop: \(failure.message)")
        }
        throw worst
    }

    /// Closes what is open, of all sessions at the same time.
    func leave() async {
        await withTaskGroup(of: Void.self) { group in
            for session in sessions { group.addTask { await session.source.leave() } }
        }
    }

    func session(_ id: SessionID) -> WatchedSession? {
        sessions.first { $0.id == id }
    }

    /// Seconds without a key after which the screen locks: the shortest that a profile wants,
    /// unless the command line says it; `nil`: never by itself.
    var lockAfter: Double? {
        display.lockAfter?.seconds ?? sessions.compactMap(\.dialect.policy.lockAfter).min()
    }

    /// When `--for` is over.
    var deadline: Instant? {
        display.duration.map { environment.time.now.advanced(bySeconds: $0.seconds) }
    }
}
