import Basics
import Client
import Model
import Observer
import Platform
import Terminal
import UI

/// A run that is shown on the screen.
struct ScreenRun {
    let run: SessionRun

    func run() async throws -> RunEnd {
        let inbox = Inbox()
        let loop = try await ScreenLoop(run: run, inbox: inbox)
        let time = run.environment.time
        let deadline = run.deadline
        let display = run.display
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for session in run.sessions {
                let source = session.source
                let shown = source.events.events()
                let recorded = source.events.events()
                group.addTask { await session.run() }
                group.addTask { for await events in shown.batches { inbox.put(events) } }
                group.addTask {
                    await session.keepRecords(
                        of: recorded,
                        in: run,
                        warn: { inbox.put(.message(.notice($0, isWarning: true))) },
                        notify: { inbox.put(.message(.notice($0))) }
                    )
                }
            }
            if let app = run.app {
                let shown = app.store.events.events()
                let recorded = app.store.events.events()
                group.addTask { await app.run() }
                group.addTask { for await events in shown.batches { inbox.put(events) } }
                group.addTask {
                    await app.keepRecords(of: recorded, in: run) {
                        inbox.put(.message(.notice($0, isWarning: true)))
                    }
                }
            }
            if let folder = try? run.environment.stateFolder {
                let requests = LockRequests(folder: folder).requests()
                group.addTask { for await _ in requests { inbox.put(.message(.lockRequested)) } }
            }
            if let deadline {
                group.addTask {
                    guard (try? await time.sleep(until: deadline)) != nil else { return }
                    inbox.put(.ended(.timeUp))
                }
            }
            if let abruptEnd = display.abruptEnd {
                group.addTask {
                    try await time.sleep(until: time.now + .seconds(1))
                    switch abruptEnd {
                    case .crash: fatalError("ended by a crash, as asked")
                    case .error: inbox.put(.ended(.abruptError))
                    }
                }
            }
            let end = try await loop.run()
            await run.leave()
            group.cancelAll()
            return end
        }
    }
}
