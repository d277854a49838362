import Basics
package import FoundationEssentials
import Glibc
package import Model
import Synchronization

/// The runs that have the sessions of a profile's users, in a file beside the records.
///
/// A run holds a lock for as long as it lives. Where the same kernel has that of another run, nothing
/// but the end of that run can have released it, so that its sessions need not wait for the end of its
/// lease: the answer to a renewal may be lost, and the backend accepts its token again for seconds only.
package final class OwnerFile: Sendable {
    static let name = "owners"
    private static let lockName = "owners.lock"
    private static let sizeLimit = 1 << 20

    private let folder: String
    private let time: any Timekeeper
    private let queue = BlockingQueue()
    private let lock = Mutex<FileLock?>(nil)

    init(folder: String, time: any Timekeeper) {
        self.folder = folder
        self.time = time
    }

    /// The name of this machine.
    package static var host: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "unknown" }
        let name = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: name, as: UTF8.self).inOneLine(limit: 64)
    }

    /// The kernel that this machine, with all of its containers, has since it was started.
    static let kernel: String? = {
        let path = "/proc/sys/kernel/random/boot_id"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return text.part(before: "\n").inOneLine(limit: 64)
    }()

    /// Claims a part, or claims it again.
    ///
    /// - Parameter claim: Makes the claim to the part, at the present time.
    /// - Returns: The run that has a session of it, which refuses the claim, or `nil` if none has.
    /// - Throws: If the table cannot be read or written.
    package func claim(
        _ claim: @escaping @Sendable (Date) -> Ownership
    ) async throws(VaultProblem) -> Ownership? {
        try await change { [self] table, opened, now in
            var claim = claim(now)
            if hold(claim.run, in: opened) { claim.kernel = Self.kernel }
            for owner in table.owners where hasEnded(owner, in: opened) { table.release(owner.run) }
            let other = table.claim(claim, at: now)
            if other != nil { letGo(of: claim.run, in: opened) }
            return other
        }
    }

    /// Gives a part up, and the lock of the run.
    package func release(_ run: String) async throws(VaultProblem) {
        try await change { [self] table, opened, _ in
            table.release(run)
            letGo(of: run, in: opened)
        }
    }

    /// Holds the lock of this run from now on.
    ///
    /// - Returns: Whether others can see that it lives.
    private func hold(_ run: String, in opened: borrowing PrivateFolder) -> Bool {
        lock.withLock { lock in
            if lock == nil { lock = try? FileLock.take(Self.lockName(of: run), in: opened) }
            return lock != nil
        }
    }

    private func letGo(of run: String, in opened: borrowing PrivateFolder) {
        guard let held = lock.withLock({ $0.take() }) else { return }
        try? opened.remove(Self.lockName(of: run))
        withExtendedLifetime(held) {}
    }

    /// Whether a run is known to have ended: this kernel had its lock, and does not have it any more.
    private func hasEnded(_ owner: Ownership, in opened: borrowing PrivateFolder) -> Bool {
        guard let kernel = Self.kernel, owner.kernel == kernel, Self.isRun(owner.run) else {
            return false
        }
        let name = Self.lockName(of: owner.run)
        // A file that is missing says nothing: it may have been removed while its run goes on.
        guard opened.identity(of: name) != nil else { return false }
        return (try? FileLock.take(name, in: opened)) != nil
    }

    private static func lockName(of run: String) -> String { "owner-\(run).lock" }

    /// Whether a name in the file is one that this program gives, which becomes part of that of a lock.
    private static func isRun(_ run: String) -> Bool {
        (1...64).contains(run.utf8.count) && run.utf8.allSatisfy(\.isAlphanumeric)
    }

    /// Changes the table under its lock.
    ///
    /// A file that cannot be read counts as one without an owner only if there is none: otherwise two
    /// runs could have the same sessions.
    ///
    /// - Parameter body: The change, at the present time.
    /// - Returns: What `body` returns.
    /// - Throws: If the table cannot be read or written.
    package func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout OwnerTable, Date) -> Value
    ) async throws(VaultProblem) -> Value {
        try await change { table, _, now in body(&table, now) }
    }

    /// The same, with the folder; the locks of the runs that are in the table no longer are removed.
    private func change<Value: Sendable>(
        _ body: @escaping @Sendable (inout OwnerTable, borrowing PrivateFolder, Date) -> Value
    ) async throws(VaultProblem) -> Value {
        try await queue.run { [self] () throws(VaultProblem) -> Value in
            let opened = try PrivateFolder.make(folder)
            let lock = try RecordLock.take(Self.lockName, in: opened, time: time)
            defer { withExtendedLifetime(lock) {} }
            var table = try read(opened)
            let before = Set(table.owners.map(\.run))
            let value = body(&table, opened, time.wall)
            guard let data = try? JSONEncoder().encode(table) else {
                throw VaultProblem(message: "\(folder)/\(Self.name): cannot be written down")
            }
            try opened.replace(Self.name, with: Array(data)) { _ in }
            for run in before.subtracting(table.owners.map(\.run)) where Self.isRun(run) {
                try opened.remove(Self.lockName(of: run))
            }
            return value
        }
    }

    private func read(_ opened: borrowing PrivateFolder) throws(VaultProblem) -> OwnerTable {
        guard let bytes = try opened.read(Self.name, limit: Self.sizeLimit) else {
            return OwnerTable()
        }
        guard let table = try? JSONDecoder().decode(OwnerTable.self, from: Data(bytes)) else {
            throw VaultProblem(message: "\(folder)/\(Self.name): damaged; remove it")
        }
        return table
    }
}
