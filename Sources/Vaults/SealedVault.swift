package import Lifecycle
package import Sessions
import Synchronization
package import Timekeeping

/// Keeps the record encrypted, for all processes of this user.
package final class SealedVault: Vault {
    private static let versionsKnown = 8

    package let place: String
    package let notice: String?
    private let location: VaultLocation
    private let store: any RecordStore
    private let keys: KeyRing
    private let time: any Timekeeper
    private let flights: FlightLocks
    private let queue = BlockingQueue()
    /// The newest versions of the file that are this vault's own work, which is no news to whoever
    /// watches; several, because a look at the file may come late.
    private let written = Mutex<[FileIdentity]>([])

    /// A vault in a folder that need not exist yet.
    ///
    /// - Parameters:
    ///   - location: Whose record, and the folder.
    ///   - keys: Where a key may be, the preferred place first.
    ///   - time: For waiting.
    /// - Returns: A vault that has read nothing of the record but its head.
    package static func file(
        location: VaultLocation,
        keys: [any VaultKeySource],
        time: any Timekeeper
    ) -> SealedVault {
        SealedVault(
            location: location,
            store: FileStore(location: location),
            keys: keys,
            time: time
        )
    }

    init(
        location: VaultLocation,
        store: any RecordStore,
        keys: [any VaultKeySource],
        time: any Timekeeper
    ) {
        self.location = location
        self.store = store
        self.keys = KeyRing(keys)
        self.time = time
        flights = FlightLocks(location: location, time: time)
        let stored = Self.keyPlace(in: store)
        let keyPlace = stored ?? keys.first?.place ?? .file
        notice = stored == nil ? keys.first?.notice : nil
        let protection = self.keys.source(in: keyPlace).map { "; \($0.protection)" } ?? ""
        place = "\(store.kind), key in \(keyPlace.description): \(store.description)\(protection)"
    }

    /// Before the record is read: what its head says of its key.
    private static func keyPlace(in store: any RecordStore) -> KeyPlace? {
        guard let bytes = try? store.read() else { return nil }
        return (try? SealedRecord(parsing: bytes, from: store.description))?.head.keyPlace
    }

    package func load() async throws(VaultProblem) -> VaultRecord? {
        try await queue.run { [self] () throws(VaultProblem) -> VaultRecord? in
            try read()?.record
        }
    }

    package func commit(_ commit: VaultCommit) async throws(VaultProblem) -> CommitVerdict {
        try await queue.run { [self] () throws(VaultProblem) -> CommitVerdict in
            let folder = try PrivateFolder.make(location.folder)
            let lock = try RecordLock.take(lockName, in: folder, time: time)
            defer { withExtendedLifetime(lock) {} }
            let stored = try read()
            guard commit.isAllowed(over: stored?.record) else {
                return .superseded(by: stored?.record)
            }
            let key: (place: KeyPlace, key: VaultKey)
            // Nobody takes the key away as unneeded before the record is there that needs it.
            var all: FileLock?
            defer { withExtendedLifetime(all) {} }
            if let stored {
                key = stored.key
            } else {
                all = try RecordLock.take(all: folder, time: time)
                key = try keys.keyForNew()
            }
            let next = commit.replacement(of: stored?.record)
            let bytes = try SealedRecord(next, of: location, key: key.key, in: key.place).bytes
            do throws(VaultProblem) {
                try replace(with: bytes, in: folder)
                return .committed
            } catch {
                guard next.takesAway(from: stored?.record) else { throw error }
                return try erasePair(leaving: bytes, after: error, in: folder)
            }
        }
    }

    private func replace(
        with bytes: [UInt8],
        in folder: borrowing PrivateFolder
    ) throws(VaultProblem) {
        try store.replace(with: bytes, in: folder) { identity in
            written.withLock { $0 = $0.suffix(Self.versionsKnown - 1) + [identity] }
        }
    }

    /// Takes a pair away where nothing can be written beside it, as on a full disk: to erase it
    /// needs no room, and may make some.
    ///
    /// Whoever is stopped in the middle of it leaves no record.
    private func erasePair(
        leaving bytes: [UInt8],
        after problem: VaultProblem,
        in folder: borrowing PrivateFolder
    ) throws(VaultProblem) -> CommitVerdict {
        do throws(VaultProblem) {
            try store.erase(in: folder)
        } catch {
            guard try store.overwrite(with: bytes, in: folder) else { throw problem }
            return .committed
        }
        do throws(VaultProblem) {
            try replace(with: bytes, in: folder)
            return .committed
        } catch {
            return .erased(error)
        }
    }

    package func check() async throws(VaultProblem) {
        try await queue.run { [self] () throws(VaultProblem) -> Void in
            let folder = try PrivateFolder.make(location.folder)
            let lock = try RecordLock.take(lockName, in: folder, time: time)
            defer { withExtendedLifetime(lock) {} }
            // No key is made for what may never be stored.
            _ = try read()
            try folder.rehearse(store.watched, size: Self.rehearsedSize)
        }
    }

    /// More than a record with its outbox usually takes, and a key, in bytes.
    private static let rehearsedSize = 16_384

    package func erase(
        if isOver: (@Sendable (VaultRecord) -> Bool)?
    ) async throws(VaultProblem) -> Bool {
        if let isOver {
            // Without the locks first: nearly always there is nothing to do.
            guard let record = try await load(), isOver(record) else { return false }
        }
        // A flight that is on its way ends first: its lock goes with the record. What is in the way
        // of the lock is in the way of erasing too, and is told then.
        let isLocked =
            (try? await flights.lock(holder: Self.eraser, timeout: Self.flightTimeout)) ?? false
        defer { flights.unlock(holder: Self.eraser) }
        return try await queue.run { [self] () throws(VaultProblem) -> Bool in
            guard let folder = try PrivateFolder.open(location.folder) else { return true }
            let lock = try RecordLock.take(lockName, in: folder, time: time)
            defer { withExtendedLifetime(lock) {} }
            if let isOver {
                guard let stored = try read(), isOver(stored.record) else { return false }
            }
            try store.erase(in: folder)
            let all = try RecordLock.take(all: folder, time: time)
            defer { withExtendedLifetime(all) {} }
            try keys.removeUnneeded(in: folder)
            if isLocked { try folder.remove(flights.lockName) }
            try folder.remove(lockName)
            return true
        }
    }

    /// Holds the flight lock while it erases; flights have numbers from 1.
    private static let eraser = -1
    /// As long as an answer may take, and a little.
    private static let flightTimeout = Duration.seconds(25)

    package var storageLocation: StorageLocation? {
        let place = Self.keyPlace(in: store) ?? keys.sources.first?.place ?? .file
        return StorageLocation(
            record: store.description,
            key: keys.source(in: place)?.description ?? place.description
        )
    }

    /// Whether the record's key is, or would be, in a keyring of the Secret Service.
    package var isKeyInSecretService: Bool {
        (Self.keyPlace(in: store) ?? keys.sources.first?.place) == .secretService
    }

    private var lockName: String { "\(location.stem).lock" }

    package func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let watch = FileWatch(store.watched, in: location.folder) { [weak self] identity in
            if let self, let identity, written.withLock({ $0.contains(identity) }) { return }
            continuation.yield()
        }
        guard let watch else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in watch.cancel() }
        return stream
    }

    package func lockFlight(
        holder: Int,
        timeout: Duration
    ) async throws(VaultProblem) -> Bool {
        try await flights.lock(holder: holder, timeout: timeout)
    }

    package func unlockFlight(holder: Int) async {
        flights.unlock(holder: holder)
    }

    /// What is stored, and what it is encrypted with.
    private struct Stored {
        var record: VaultRecord
        var key: (place: KeyPlace, key: VaultKey)
    }

    private func read() throws(VaultProblem) -> Stored? {
        guard let bytes = try store.read() else { return nil }
        let sealed = try SealedRecord(parsing: bytes, from: store.description)
        try sealed.check(location, from: store.description)
        let place = sealed.head.keyPlace
        let key = try keys.key(in: place, named: sealed.head.keyName, of: store.description)
        return Stored(
            record: try sealed.open(key, for: location, from: store.description),
            key: (place, key)
        )
    }
}

extension VaultRecord {
    /// Whether all the tokens of what is stored go with it.
    fileprivate func takesAway(from stored: VaultRecord?) -> Bool {
        guard let stored, pair == nil else { return false }
        return stored.pair != nil || outbox.isEmpty && !stored.outbox.isEmpty
    }
}
