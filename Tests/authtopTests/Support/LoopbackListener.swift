import Foundation
import Glibc
import Synchronization

/// A port on this machine, each connection to which is served on a thread of its own.
final class LoopbackListener: Sendable {
    private struct State {
        var isAccepting = false
        var isStopped = false
    }

    let port: Int
    private let listener: Int32
    private let state = Mutex(State())

    /// Takes a port of its own; no client can connect yet.
    ///
    /// - Throws: `LoopbackSocket.Failure`.
    init() throws {
        listener = try LoopbackSocket.bind()
        port = LoopbackSocket.port(of: listener)
    }

    /// Accepts connections until `stop`.
    ///
    /// - Parameter serve: Told the descriptor of one, which is closed when it returns.
    func start(_ serve: @escaping @Sendable (Int32) -> Void) {
        state.withLock { $0.isAccepting = true }
        listen(listener, 64)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                if state.withLock({ $0.isStopped }) {
                    if connection >= 0 { close(connection) }
                    break
                }
                guard connection >= 0 else { continue }
                Thread.detachNewThread {
                    serve(connection)
                    close(connection)
                }
            }
            close(listener)
        }
    }

    /// Refuses all connections from now on; a second call does nothing.
    ///
    /// The descriptor's number is another file's as soon as it is closed: only the thread that accepts
    /// does that, if there is one.
    func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            if !state.isAccepting { close(listener) }
        }
    }

    /// Reads one whole request, or `nil` if the connection ends before.
    static func request(on connection: Int32) -> HTTPMessage? {
        var bytes: [UInt8] = []
        while true {
            let part = LoopbackSocket.receive(on: connection)
            if part.isEmpty { return nil }
            bytes += part
            if let request = HTTPMessage(bytes) { return request }
        }
    }
}
