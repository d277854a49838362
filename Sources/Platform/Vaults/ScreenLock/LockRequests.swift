import Basics
import Client
import Crypto
package import Model

/// Requests that every running dashboard of this user locks its screen, sent through a file that
/// they watch.
package struct LockRequests: Sendable {
    private static let name = "lock-request"

    private let folder: String

    /// - Parameter folder: The state folder.
    package init(folder: String) {
        self.folder = folder
    }

    /// Sends a request.
    package func post() throws(VaultProblem) {
        let opened = try PrivateFolder.make(folder)
        // The contents have no meaning; writing them creates a new version of the file.
        let mark = AES.GCM.Nonce().hexadecimal
        try opened.replace(Self.name, with: Array("\(mark)\n".utf8), draft: mark) { _ in }
    }

    /// Returns a stream that yields for each request from now on; at most one is buffered.
    package func requests() -> AsyncStream<Void> {
        FolderWatch.changes(ofFile: Self.name, in: folder) { $0 != nil }
    }
}
