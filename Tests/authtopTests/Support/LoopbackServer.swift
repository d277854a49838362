import Foundation
import Glibc

/// An HTTP server on this machine that answers each request by a closure: one to a connection.
final class LoopbackServer: Stoppable {
    let port: Int
    private let listener: Int32
    private let answer: @Sendable (HTTPMessage) -> String

    /// Listens on a port of its own.
    ///
    /// - Parameter answer: The whole answer to a request, as it goes over the wire.
    /// - Throws: `LoopbackSocket.Failure`.
    init(_ answer: @escaping @Sendable (HTTPMessage) -> String) throws {
        self.answer = answer
        listener = try LoopbackSocket.bind()
        port = LoopbackSocket.port(of: listener)
        listen(listener, 64)
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { [self] in serve(connection) }
            }
        }
    }

    func stop() async {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var bytes: [UInt8] = []
        while true {
            let part = LoopbackSocket.receive(on: connection)
            if part.isEmpty { return }
            bytes += part
            guard let request = HTTPMessage(bytes) else { continue }
            LoopbackSocket.send(Array(answer(request).utf8), on: connection)
            return
        }
    }
}
