import Dashboard
import Sessions
import Terminal
import Timekeeping
import Vaults

/// A run that is shown on the screen.
struct ScreenRun {
    let store: SessionStore
    let run: SessionRun

    func run() async throws -> RunEnd {
        let inbox = Inbox()
        let loop = try await ScreenLoop(store: store, run: run, inbox: inbox)
        let events = store.events.events()
        let recorded = store.events.events()
        let every = run.requestEvery
        let time = run.environment.time
        let deadline = run.deadline
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await store.run(requestEvery: every) }
            group.addTask { for await event in events { inbox.put(.session(event)) } }
            group.addTask {
                await run.keepRecords(of: store, recorded) { inbox.put(.message(.notice($0))) }
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
            if let abruptEnd = run.display.abruptEnd {
                group.addTask {
                    try await time.sleep(until: time.now + .seconds(1))
                    switch abruptEnd {
                    case .crash: fatalError("ended by a crash, as asked")
                    case .error: inbox.put(.ended(.abruptError))
                    }
                }
            }
            let end = try await loop.run()
            await store.leave()
            group.cancelAll()
            return end
        }
    }
}
