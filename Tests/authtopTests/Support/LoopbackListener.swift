import Foundation
import Glibc

/// A port on this machine, each connection to which is served on a thread of its own.
struct LoopbackListener: Sendable {
    let port: Int
    private let listener: Int32

    /// Takes a port of its own; nobody can connect yet.
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
        listen(listener, 64)
        Thread.detachNewThread { [listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread {
                    serve(connection)
                    close(connection)
                }
            }
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
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
