import Glibc
import Lifecycle

/// 32 random bytes in a 0600 file, so that fingerprints are the same from run to run and mean
/// nothing elsewhere.
package struct InstallSalt {
    package static let size = 32
    private static let name = "salt"

    private let folder: String
    private let fresh: [UInt8]

    /// - Parameters:
    ///   - folder: Where records are kept.
    ///   - fresh: The bytes to keep where there are none yet.
    package init(folder: String, fresh: [UInt8]) {
        self.folder = folder
        self.fresh = fresh
    }

    /// `nil` when the file can neither be read nor made, or others have a hand in it.
    package func read() -> [UInt8]? {
        guard let opened = try? PrivateFolder.make(folder) else { return nil }
        let found = bytes(in: opened)
        let mark = String(getpid())
        if found?.count == Self.size { return found }
        if found != nil {
            // An earlier version was stopped while writing it.
            try? opened.replace(Self.name, with: fresh, draft: mark) { _ in }
        } else {
            // Whoever comes first wins; the others read what it wrote.
            try? opened.create(Self.name, with: fresh, mark: mark)
        }
        return bytes(in: opened).flatMap { $0.count == Self.size ? $0 : nil }
    }

    /// `nil` when there are none, or not ours.
    private func bytes(in folder: borrowing PrivateFolder) -> [UInt8]? {
        try? folder.read(Self.name, limit: Self.size)
    }
}
