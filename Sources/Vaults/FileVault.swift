package import Lifecycle
import Sessions
package import Timekeeping

/// Keeps the record encrypted in a file of its own, for all processes of this user.
package final class FileVault: Vault {
    private let site: VaultSite
    private let keys: KeyRing
    private let time: any Timekeeper
    private let flights: FlightLocks
    private let queue = BlockingQueue()

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
    }

    package var place: String {
        "encrypted file, key in a 0600 file beside it: \(path); protects a copy without the key, "
            + "not against programs that run as you"
    }

    private var name: String { "\(site.stem).vault" }
    private var path: String { "\(site.folder)/\(name)" }

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
            return .committed
        }
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
