import Basics
import Platform
import Stores
import Synchronization

/// Scans the stores again whenever something at their places has changed.
actor StoreWatcher {
    /// What comes within it is one change.
    private static let pause = Duration.milliseconds(50)
    /// The same while changes have come without an end.
    private static let longPause = Duration.milliseconds(250)

    /// What the thread of the watch needs, and has found.
    private struct State {
        var places = StorePlaces()
        /// The files whose writers are looked for.
        var files: Set<String> = []
        /// The writers of what has changed since the last scan.
        var writers: [String: String] = [:]
        /// Of the search for writers.
        var allowance = TimeAllowance()
    }

    private var scanner: StoreScanner
    private let state = Mutex(State())
    private let time: any Timekeeper
    private let report: @Sendable (StoreScan, _ writers: [String: String]) -> Void

    init(
        _ scanner: StoreScanner,
        time: any Timekeeper,
        report: @escaping @Sendable (StoreScan, _ writers: [String: String]) -> Void
    ) {
        self.scanner = scanner
        self.time = time
        self.report = report
    }

    /// Watches until the task is cancelled; if the system has no watch left, nothing is reported.
    func run() async {
        // Changes that come while one is waited for or scanned are one more.
        let (changes, change) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let watch = FolderWatch(.all) { [self] paths in
            let (places, files) = state.withLock { ($0.places, $0.files) }
            guard paths.contains(where: places.concerns) else { return }
            let begin = time.now
            if state.withLock({ $0.allowance.isLeft(at: begin) }) {
                // Soon afterwards, a writer has closed its file.
                let writers = OpenFiles.processes(with: paths.intersection(files))
                let end = time.now
                state.withLock { state in
                    state.allowance.spend(end - begin)
                    state.writers.merge(writers) { $1 }
                }
            }
            change.yield()
        }
        guard let watch else { return }
        // What has changed between the first scan and the watch.
        report(scan(watchedBy: watch), [:])
        var allowance = TimeAllowance()
        for await _ in changes {
            guard (try? await time.sleep(until: time.now + Self.pause)) != nil else { return }
            while !allowance.isLeft(at: time.now) {
                guard (try? await time.sleep(until: time.now + Self.longPause)) != nil else {
                    return
                }
            }
            let begin = time.now
            defer { allowance.spend(time.now - begin) }
            let writers = state.withLock { state in
                defer { state.writers = [:] }
                return state.writers
            }
            report(scan(watchedBy: watch), writers)
        }
    }

    /// Scans the stores, and watches the folders that they are in now.
    private func scan(watchedBy watch: FolderWatch) -> StoreScan {
        let scan = scanner.scan(at: time.moment.wall)
        state.withLock { state in
            state.files = Set(scan.files.map(\.path))
            state.places = scanner.places
        }
        watch.watch(scanner.places.folders)
        return scan
    }
}
