import Basics
import Platform
import Stores

/// Scans the stores again whenever something at their places has changed.
actor StoreWatcher {
    /// What comes within it is one change.
    private static let pause = Duration.milliseconds(50)

    private var scanner: StoreScanner
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
            of: [FolderWatch.Change].self,
            bufferingPolicy: .bufferingNewest(256)
        )
        guard let watch = FolderWatch(onChange: { change.yield($0) }) else { return }
        var scan = scanner.scan(at: time.moment.wall)
        watch.watch(scanner.folders, files: Set(scan.files.map(\.path)))
        // What has changed between the first scan and the watch.
        report(scan, [:])
        for await first in changes {
            guard (try? await time.sleep(until: time.now + Self.pause)) != nil else { return }
            var writers: [String: String] = [:]
            for change in first { writers[change.path] = change.writer }
            scan = scanner.scan(at: time.moment.wall)
            watch.watch(scanner.folders, files: Set(scan.files.map(\.path)))
            report(scan, writers)
        }
    }
}
