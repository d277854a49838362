package import Lifecycle
import Sessions
import Synchronization
package import Timekeeping

/// Keeps the record encrypted in a file of its own, for all processes of this user.
package final class FileVault: Vault {
    package let place: String
    package let notice: String?
    private let site: VaultSite
    private let name: String
    private let path: String
    private let keys: KeyRing
    private let time: any Timekeeper
    private let flights: FlightLocks
    private let queue = BlockingQueue()
    /// What this vault wrote last: no news to whoever watches.
    private let written = Mutex<FileIdentity?>(nil)

    /// A vault in a folder that need not exist yet.
    ///
    /// - Parameters:
    ///   - site: Whose record, and the folder.
    ///   - keys: Where a key may be, the preferred place first.
    ///   - time: For waiting.
    package init(site: VaultSite, keys: [any VaultKeySource], time: any Timekeeper) {
        self.site = site
        self.keys = KeyRing(keys)
        self.time = time
        flights = FlightLocks(site: site, time: time)
        name = "\(site.stem).vault"
        path = "\(site.folder)/\(name)"
        notice = keys.first?.notice
        let keyPlace = Self.keyPlace(name, in: site.folder) ?? keys.first?.place ?? .file
        let protection = self.keys.source(in: keyPlace).map { "; \($0.protection)" } ?? ""
        place = "encrypted file, key in \(keyPlace.words): \(path)\(protection)"
    }

    /// Before the record is read: what its head says of its key.
    private static func keyPlace(_ name: String, in folder: String) -> KeyPlace? {
        guard let opened = try? PrivateFolder.open(folder),
            let bytes = try? opened.read(name, limit: SealedRecord.sizeLimit)
        else { return nil }
        return (try? SealedRecord(parsing: bytes, from: name))?.head.keyPlace
    }

    package func load() async throws(VaultProblem) -> VaultRecord? {
        try await queue.run { [self] () throws(VaultProblem) -> VaultRecord? in
            guard let folder = try PrivateFolder.open(site.folder) else { return nil }
            return try read(folder)?.record
        }
    }

    package func commit(_ commit: VaultCommit) async throws(VaultProblem) -> CommitVerdict {
        try await queue.run { [self] () throws(VaultProblem) -> CommitVerdict in
            let folder = try PrivateFolder.make(site.folder)
            let lock = try RecordLock.take(site, in: folder, time: time)
            defer { withExtendedLifetime(lock) {} }
            let stored = try read(folder)
            guard commit.isAllowed(over: stored?.record) else {
                return .superseded(by: stored?.record)
            }
            let key: (place: KeyPlace, key: VaultKey)
            if let stored { key = stored.key } else { key = try keys.keyForNew() }
            let sealed = try SealedRecord(
                commit.replacement(of: stored?.record),
                of: site,
                key: key.key,
                in: key.place
            )
            try folder.replace(name, with: sealed.bytes)
            written.withLock { $0 = folder.identity(of: name) }
            return .committed
        }
    }

    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let watch = FileWatch(name, in: site.folder) { [weak self] identity in
            guard let self, identity == nil || identity != written.withLock({ $0 }) else { return }
            continuation.yield()
        }
        guard let watch else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in watch.cancel() }
        return stream
    }

    package func lockFlight(holder: Int, patience: Duration) async -> Bool {
        await flights.lock(holder: holder, patience: patience)
    }

    package func unlockFlight(holder: Int) async {
        flights.unlock(holder: holder)
    }

    /// What is stored, and what it is encrypted with.
    private struct Stored {
        var record: VaultRecord
        var key: (place: KeyPlace, key: VaultKey)
    }

    private func read(_ folder: borrowing PrivateFolder) throws(VaultProblem) -> Stored? {
        guard let bytes = try folder.read(name, limit: SealedRecord.sizeLimit) else { return nil }
        let sealed = try SealedRecord(parsing: bytes, from: path)
        try sealed.check(site, from: path)
        let place = sealed.head.keyPlace
        let key = try keys.key(in: place, named: sealed.head.keyName, of: path)
        return Stored(
            record: try sealed.open(key, for: site, from: path),
            key: (place, key)
        )
    }
}
