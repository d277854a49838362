package import Basics
import Synchronization

/// The vaults of many records in one folder of their own, with what they share: the key, the threads
/// for their files, and one watch of the folder.
///
/// A vault on its own has a thread and a watch of the system for itself, of which there are not
/// thousands. The key is in a file: one in the Secret Service would go with the last record of the
/// folder above.
package final class VaultGroup: Sendable {
    /// The number of files that are read or written at a time.
    private static let queueCount = 8

    private let folder: String
    private let keys: KeyRing
    private let time: any Timekeeper
    private let queues = (0..<queueCount).map { _ in BlockingQueue() }
    private let changes: FolderChanges
    private let lastQueue = Mutex(0)
    private let place: String
    /// The notice that the user must see before anything is stored for the first time, or `nil` if
    /// there is none.
    private let notice: String?

    /// - Parameters:
    ///   - location: The location of the record of the profile, beside which the folder is.
    ///   - time: The clock for timeouts.
    package init(of location: VaultLocation, time: any Timekeeper) {
        let folder = location.usersFolder
        let key = KeyFile(folder: folder)
        self.folder = folder
        self.time = time
        keys = KeyRing([key])
        changes = FolderChanges(of: folder)
        notice = key.notice
        let keyPlace = key.place.description
        place = "encrypted file, key in \(keyPlace): \(folder); \(key.protection)"
    }

    /// The runs that have these sessions.
    package var owners: OwnerFile { OwnerFile(folder: folder, time: time) }

    /// Returns the vault of one record.
    ///
    /// - Parameters:
    ///   - name: The name of the session.
    ///   - baseURL: The backend's base URL.
    /// - Returns: The vault, which has read nothing yet.
    package func vault(of name: String, at baseURL: String) -> SealedVault {
        let queue = lastQueue.withLock { last in
            last = (last + 1) % queues.count
            return queues[last]
        }
        let location = VaultLocation(profile: name, baseURL: baseURL, folder: folder)
        return SealedVault(
            location: location,
            store: FileStore(location: location),
            keys: keys,
            time: time,
            queue: queue,
            changes: changes,
            place: place,
            notice: notice
        )
    }
}

/// The changes of single files in a folder, of which there is one watch for all of them.
final class FolderChanges: Sendable {
    private struct Reader {
        var seen: FileIdentity?
        let isReported: @Sendable (FileIdentity?) -> Bool
        let report: AsyncStream<Void>.Continuation
    }

    private struct State {
        var watch: FolderWatch?
        var readers: [String: Reader] = [:]
    }

    private let folder: String
    private let state = Mutex(State())

    init(of folder: String) {
        self.folder = folder
    }

    /// Returns a stream that yields whenever a file may have been replaced or removed, from now on.
    ///
    /// - Parameters:
    ///   - name: The file, which has one reader.
    ///   - isReported: Whether a version of it is reported, or that there is none.
    /// - Returns: The stream, which ends at once if the system has no watch left.
    func changes(
        ofFile name: String,
        where isReported: @escaping @Sendable (FileIdentity?) -> Bool
    ) -> AsyncStream<Void> {
        let (stream, report) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let isWatched = state.withLock { state in
            guard let watch = state.watch ?? started() else { return false }
            state.watch = watch
            let seen = identity(of: name)
            state.readers[name] = Reader(seen: seen, isReported: isReported, report: report)
            return true
        }
        guard isWatched else {
            report.finish()
            return stream
        }
        report.onTermination = { [weak self] _ in
            self?.state.withLock { state in _ = state.readers.removeValue(forKey: name) }
        }
        return stream
    }

    private func started() -> FolderWatch? {
        let watch = FolderWatch(.completed) { [weak self] paths in self?.receive(paths) }
        watch?.watch([folder])
        return watch
    }

    private func identity(of name: String) -> FileIdentity? {
        guard let opened = try? PrivateFolder.open(folder) else { return nil }
        return opened.identity(of: name)
    }

    /// Reports the files that have changed; all of them if the folder itself may have.
    private func receive(_ paths: Set<String>) {
        let isWhole = paths.contains { !$0.begins(with: "\(folder)/") }
        let names = paths.compactMap { $0.part(after: "\(folder)/").map(String.init) }
        state.withLock { state in
            for name in isWhole ? Array(state.readers.keys) : names {
                guard let reader = state.readers[name] else { continue }
                let now = identity(of: name)
                guard now != reader.seen else { continue }
                state.readers[name]?.seen = now
                if reader.isReported(now) { reader.report.yield() }
            }
        }
    }
}
