import Lifecycle
import Sessions
import Timekeeping

/// A run that is shown on the screen.
struct ScreenRun {
    let store: SessionStore
    let run: SessionRun

    func run() async throws -> RunEnd {
        await LineRun(store: store, run: run).run()
    }
}
