/// An HTTP server on this machine that answers each request by a closure: one to a connection.
final class LoopbackServer: Stoppable {
    private let listener: LoopbackListener

    var port: Int { listener.port }

    /// Listens on a port of its own.
    ///
    /// - Parameter answer: The whole answer to a request, as it goes over the wire.
    /// - Throws: `LoopbackSocket.Failure`.
    init(_ answer: @escaping @Sendable (HTTPMessage) -> String) throws {
        listener = try LoopbackListener()
        listener.start { connection in
            guard let request = LoopbackListener.request(on: connection) else { return }
            LoopbackSocket.send(Array(answer(request).utf8), on: connection)
        }
    }

    func stop() async { listener.stop() }
}
