package import Basics
package import Client
package import Model
import Synchronization

/// A vault that stores the record encrypted, for all processes of this user.
package final class SealedVault: Vault {
    private static let versionsKnown = 8

    package let place: String
    package let notice: String?
    private let location: VaultLocation
    private let store: any RecordStore
    private let keys: KeyRing
    private let time: any Timekeeper
    private let flights: FlightLocks
    private let queue: BlockingQueue
    /// The changes of all files of the folder, or `nil` if the record's has a watch of its own.
    private let folderChanges: FolderChanges?
    /// The latest versions of the file that this vault wrote itself, which are not reported as
    /// changes; several, because a notification may arrive late.
    private let written = Mutex<[FileIdentity]>([])

    /// Creates a vault in a folder, which need not exist yet.
    ///
    /// - Parameters:
    ///   - location: The profile, the backend and the folder.
    ///   - keys: The sources of keys, the preferred one first.
    ///   - time: The clock for timeouts.
    /// - Returns: The vault, which has read no more than the head of the record.
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
        queue = BlockingQueue()
        folderChanges = nil
        flights = FlightLocks(location: location, time: time)
        let stored = Self.keyPlace(in: store)
        let keyPlace = stored ?? keys.first?.place ?? .file
        notice = stored == nil ? keys.first?.notice : nil
        let protection = self.keys.source(in: keyPlace).map { "; \($0.protection)" } ?? ""
        place = "\(store.kind), key in \(keyPlace.description): \(store.description)\(protection)"
    }

    /// Creates a vault that shares with others what it needs.
    ///
    /// - Parameters:
    ///   - location: The profile, the backend and the folder.
    ///   - store: The store of the record.
    ///   - keys: The keys.
    ///   - time: The clock for timeouts.
    ///   - queue: Where files are read and written.
    ///   - changes: The changes of the folder.
    ///   - place: A description of where the pair is kept.
    ///   - notice: The notice that the user must see first, or `nil` if there is none.
    init(
        location: VaultLocation,
        store: any RecordStore,
        keys: KeyRing,
        time: any Timekeeper,
        queue: BlockingQueue,
        changes: FolderChanges,
        place: String,
        notice: String?
    ) {
        self.location = location
        self.store = store
        self.keys = keys
        self.time = time
        self.queue = queue
        folderChanges = changes
        flights = FlightLocks(location: location, time: time)
        self.place = place
        self.notice = notice
    }

    /// Returns the place of the key that the record's head names, without reading the record.
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
            // Held so that no other process removes the key as unneeded before the record that
            // needs it exists.
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

    /// Erases a pair when no new record can be written, as on a full disk: erasing needs no space,
    /// and may free some.
    ///
    /// If the process is stopped in the meantime, there is no record left.
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
            // Reads first, so that no key is created if the record cannot be stored anyway.
            _ = try read()
            try folder.rehearse(store.watched, size: Self.rehearsedSize)
        }
    }

    /// More than the usual size of a record with its outbox, and of a key, in bytes.
    private static let rehearsedSize = 16_384

    package func erase(
        if isOver: (@Sendable (VaultRecord) -> Bool)?
    ) async throws(VaultProblem) -> Bool {
        if let isOver {
            // Checked without the locks first, since there is almost always nothing to erase.
            guard let record = try await load(), isOver(record) else { return false }
        }
        // Waits for a flight to end, since its lock is removed with the record. Whatever prevents
        // taking the lock also prevents erasing, which then reports it.
        let isLocked =
            (try? await flights.lock(
                holder: Self.eraser,
                timeout: SessionStore.lockTimeout,
                whenHeld: { _ in }
            )) ?? false
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

    /// Identifies the holder of the flight lock while erasing; flights are numbered from 1.
    private static let eraser = -1

    package var storageLocation: StorageLocation? {
        let place = Self.keyPlace(in: store) ?? keys.sources.first?.place ?? .file
        return StorageLocation(
            record: store.description,
            key: keys.source(in: place)?.description ?? place.description
        )
    }

    /// Whether the record's key is, or would be, in a keyring of the Secret Service.
    package var isKeyInSecretService: Bool {
        keys.source(in: .secretService) != nil
            && (Self.keyPlace(in: store) ?? keys.sources.first?.place) == .secretService
    }

    /// Whether the record is a file.
    package var isFile: Bool { store is FileStore }

    private var lockName: String { "\(location.stem).lock" }

    package func changes() -> AsyncStream<Void> {
        let isReported: @Sendable (FileIdentity?) -> Bool = { [weak self] file in
            guard let self, let file else { return true }
            return !written.withLock { $0.contains(file) }
        }
        return folderChanges?.changes(ofFile: store.watched, where: isReported)
            ?? FolderWatch.changes(
                ofFile: store.watched,
                in: location.folder,
                where: isReported
            )
    }

    package func lockFlight(
        holder: Int,
        timeout: Duration,
        whenHeld: @Sendable (_ holder: LockHolder?) async -> Void
    ) async throws(VaultProblem) -> Bool {
        try await flights.lock(holder: holder, timeout: timeout, whenHeld: whenHeld)
    }

    package func unlockFlight(holder: Int) async {
        flights.unlock(holder: holder)
    }

    /// The stored record and its key.
    private struct Stored {
        var record: VaultRecord
        var key: (place: KeyPlace, key: VaultKey)
    }

    private func read() throws(VaultProblem) -> Stored? {
        guard let bytes = try store.read() else { return nil }
        let sealed = try SealedRecord(parsing: bytes, from: store.description)
        let opened = try sealed.open(
            for: location,
            from: store.description
        ) { head throws(VaultProblem) -> VaultKey in
            try keys.key(in: head.keyPlace, named: head.keyName, of: store.description)
        }
        return Stored(record: opened.record, key: (sealed.head.keyPlace, opened.key))
    }
}

extension VaultRecord {
    /// Returns whether this record removes all tokens of the stored one.
    fileprivate func takesAway(from stored: VaultRecord?) -> Bool {
        guard let stored, pair == nil else { return false }
        return stored.pair != nil || outbox.isEmpty && !stored.outbox.isEmpty
    }
}
