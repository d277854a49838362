import Glibc
import Model

/// 32 random bytes in a file of mode 0600, so that fingerprints stay the same between runs and
/// cannot be compared with those of other installations.
package struct InstallSalt {
    package static let size = 32
    private static let name = "salt"

    private let folder: String
    private let fresh: [UInt8]

    /// - Parameters:
    ///   - folder: The folder of the records.
    ///   - fresh: The random bytes to store if there are none yet.
    package init(folder: String, fresh: [UInt8]) {
        self.folder = folder
        self.fresh = fresh
    }

    /// Returns the salt, or `nil` if the file can be neither read nor created, or other users can
    /// access it.
    package func read() -> [UInt8]? {
        guard let opened = try? PrivateFolder.make(folder) else { return nil }
        let found = bytes(in: opened)
        let mark = String(getpid())
        if found?.count == Self.size { return found }
        if found != nil {
            // An earlier version was stopped while it wrote the file.
            try? opened.replace(Self.name, with: fresh, draft: mark) { _ in }
        } else {
            // The first process to write wins; the others read its salt.
            try? opened.create(Self.name, with: fresh, mark: mark)
        }
        return bytes(in: opened).flatMap { $0.count == Self.size ? $0 : nil }
    }

    /// Returns the salt if it is there already; nothing is written.
    package func existing() -> [UInt8]? {
        guard let opened = try? PrivateFolder.open(folder) else { return nil }
        return bytes(in: opened).flatMap { $0.count == Self.size ? $0 : nil }
    }

    /// Returns the stored bytes, or `nil` if there are none, or the file is not this user's alone.
    private func bytes(in folder: borrowing PrivateFolder) -> [UInt8]? {
        try? folder.read(Self.name, limit: Self.size)
    }
}
