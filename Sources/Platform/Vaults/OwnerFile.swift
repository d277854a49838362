import Basics
package import FoundationEssentials
import Glibc
package import Model

/// The runs that have the sessions of a profile's users, in a file beside the records.
package struct OwnerFile: Sendable {
    static let name = "owners"
    private static let lockName = "owners.lock"
    private static let sizeLimit = 1 << 20

    private let folder: String
    private let time: any Timekeeper
    private let queue = BlockingQueue()

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
        try await queue.run { () throws(VaultProblem) -> Value in
            let opened = try PrivateFolder.make(folder)
            let lock = try RecordLock.take(Self.lockName, in: opened, time: time)
            defer { withExtendedLifetime(lock) {} }
            var table = try read(opened)
            let value = body(&table, time.wall)
            guard let data = try? JSONEncoder().encode(table) else {
                throw VaultProblem(message: "\(folder)/\(Self.name): cannot be written down")
            }
            try opened.replace(Self.name, with: Array(data)) { _ in }
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
