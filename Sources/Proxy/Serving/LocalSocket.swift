import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A Unix socket to listen at, which only its user can connect to.
struct LocalSocket {
    /// What a socket's path has room for on Linux, without the null character at its end.
    private static let longest = 107

    private let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Makes the socket, in place of one at which no program listens any more.
    ///
    /// - Parameters:
    ///   - bootstrap: Listens.
    ///   - loop: For the question whether a program listens there.
    ///   - isolation: That of the caller.
    /// - Returns: The channel that listens.
    /// - Throws: `ProxyError.badSocket`.
    func bind(
        _ bootstrap: ServerBootstrap,
        on loop: any EventLoop,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(ProxyError) -> any Channel {
        guard path.utf8.count <= Self.longest else {
            throw failure("the path of a socket has \(Self.longest) bytes at most")
        }
        if isThere {
            guard isSocket else { throw failure("there is a file that is no socket") }
            guard await !isServed(on: loop) else {
                throw failure("another program listens there")
            }
        }
        do {
            let channel =
                try await bootstrap
                .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true)
                .get()
            guard chmod(path, 0o600) == 0 else {
                let code = errno
                try? await channel.close()
                throw IOError(errnoCode: code, reason: "chmod")
            }
            return channel
        } catch {
            let code = (error as? IOError)?.errnoCode
            throw failure(code.map { String(cString: strerror($0)) } ?? "it cannot be made")
        }
    }

    /// Removes the socket, at which nothing listens from now on.
    func remove() {
        if isSocket { _ = unlink(path) }
    }

    private var mode: mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    private var isThere: Bool { mode != nil }

    private var isSocket: Bool { mode.map { $0 & S_IFMT == S_IFSOCK } ?? false }

    /// Whether a program accepts connections there.
    private func isServed(on loop: any EventLoop) async -> Bool {
        do {
            let channel = try await ClientBootstrap(group: loop)
                .connectTimeout(.seconds(2))
                .connect(unixDomainSocketPath: path)
                .get()
            try? await channel.close()
            return true
        } catch let error as IOError {
            return error.errnoCode != ECONNREFUSED && error.errnoCode != ENOENT
        } catch {
            return true
        }
    }

    private func failure(_ reason: String) -> ProxyError {
        .badSocket(path: path, reason: reason)
    }
}
