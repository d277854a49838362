import Crypto
package import Lifecycle
import Tokens

/// How one program asks every running dashboard of this user to lock: a file that they watch.
package struct LockRequests: Sendable {
    private static let name = "lock-request"

    private let folder: String

    /// - Parameter folder: The state folder.
    package init(folder: String) {
        self.folder = folder
    }

    /// Asks.
    package func post() throws(VaultProblem) {
        let opened = try PrivateFolder.make(folder)
        // What is in it means nothing: each version is another file.
        let mark = AES.GCM.Nonce().hexadecimal
        try opened.replace(Self.name, with: Array("\(mark)\n".utf8), draft: mark) { _ in }
    }

    /// One element for each time that somebody asks from now on; at most one waits.
    package func requests() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        // A folder that is not there cannot be watched.
        _ = try? PrivateFolder.make(folder)
        let watch = FileWatch(Self.name, in: folder) { identity in
            if identity != nil { continuation.yield() }
        }
        guard let watch else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in watch.cancel() }
        return stream
    }
}
