import Basics
import Platform

/// The edits of the files of TOML in some folders.
struct FileEdits: Sendable {
    /// What comes within it is one edit.
    private static let pause = Duration.milliseconds(50)

    let folders: Set<String>
    let time: any Timekeeper

    /// - Parameters:
    ///   - folders: The folders, of which some need not exist.
    ///   - time: The clock.
    init(in folders: Set<String>, time: any Timekeeper) {
        self.folders = folders
        self.time = time
    }

    /// Calls `body` after each edit, until the calling task is cancelled.
    ///
    /// If the system has no watch left, nothing is noticed.
    func follow(_ body: () async -> Void) async {
        let (changes, change) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let watch = FolderWatch(.completed) { [folders] paths in
            guard paths.contains(where: { $0.ends(with: ".toml") || folders.contains($0) })
            else { return }
            change.yield()
        }
        guard let watch else { return }
        defer { watch.cancel() }
        watch.watch(folders)
        for await _ in changes {
            guard (try? await time.sleep(until: time.now + Self.pause)) != nil else { return }
            await body()
        }
    }
}
