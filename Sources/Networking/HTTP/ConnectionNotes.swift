import NIOCore
import Synchronization

/// Tells whether a request goes out on a new connection or on one that was open already.
///
/// AsyncHTTPClient does not say which connection a request is on. It hands a request to the
/// connection and writes the head in one turn of the event loop, so that the latest note, read when
/// the head has been written, is about that very request.
final class ConnectionNotes: Sendable {
    private let isNew = Mutex(false)

    /// Whether the request that was handed to a connection last was its first.
    var latestIsNew: Bool { isNew.withLock { $0 } }

    /// Notes the requests of a connection.
    func attach(to operations: ChannelPipeline.SynchronousOperations) throws {
        try operations.addHandler(FirstUseHandler(notes: self))
    }

    fileprivate func note(isNew value: Bool) {
        isNew.withLock { $0 = value }
    }
}

/// Sits at the end of a connection's pipeline, where whole requests come in.
private final class FirstUseHandler: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private let notes: ConnectionNotes
    private var isUsed = false

    init(notes: ConnectionNotes) {
        self.notes = notes
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        notes.note(isNew: !isUsed)
        isUsed = true
        context.write(data, promise: promise)
    }
}
