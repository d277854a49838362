import Basics
import Platform
import Stores
import Synchronization

/// Scans the stores again whenever something at their places has changed.
actor StoreWatcher {
    /// What comes within it is one change.
    private static let pause = Duration.milliseconds(50)

    private var scanner: StoreScanner
    /// The files whose writers are looked for.
    private let files = Mutex<Set<String>>([])
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
        let (changes, change) = AsyncStream.makeStream(
            of: [String: String].self,
            bufferingPolicy: .bufferingNewest(256)
        )
        let watch = FolderWatch(.all) { [self] paths in
            // Soon afterwards, a writer has closed its file.
            let known = files.withLock { $0 }
            change.yield(OpenFiles.processes(with: paths.intersection(known)))
        }
        guard let watch else { return }
        // What has changed between the first scan and the watch.
        report(scan(watchedBy: watch), [:])
        for await writers in changes {
            guard (try? await time.sleep(until: time.now + Self.pause)) != nil else { return }
            report(scan(watchedBy: watch), writers)
        }
    }

    /// Scans the stores, and watches the folders that they are in now.
    private func scan(watchedBy watch: FolderWatch) -> StoreScan {
        let scan = scanner.scan(at: time.moment.wall)
        files.withLock { $0 = Set(scan.files.map(\.path)) }
        watch.watch(scanner.folders)
        return scan
    }
}
