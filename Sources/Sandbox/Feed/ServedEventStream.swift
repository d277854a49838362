import Backend
import Basics
import HTTP
import HummingbirdCore
import NIOCore
import Synchronization

/// An event stream to one client, which is the body of a response.
///
/// A comment every 15 s shows that it lives, as the standard advises.
final class ServedEventStream: ServedConnection {
    let keepAlive: Duration? = .seconds(15)

    private struct State {
        var isOver = false
        /// Closed with this, before the transport ended.
        var close: FeedClose?
        /// The senders that wait until a piece is written, in the order of the pieces.
        var senders: [CheckedContinuation<Void, any Error>] = []
    }

    private let channel: any Channel
    private let pieces: AsyncStream<ByteBuffer>
    private let writing: AsyncStream<ByteBuffer>.Continuation
    private let state = Mutex(State())

    init(on channel: any Channel) {
        self.channel = channel
        (pieces, writing) = AsyncStream.makeStream(of: ByteBuffer.self)
    }

    /// Writes what is sent until the stream is closed.
    ///
    /// - Returns: Whether the response ends as a whole.
    func write(to writer: inout any ResponseBodyWriter) async -> Bool {
        defer { finish() }
        do {
            for await piece in pieces {
                try await writer.write(piece)
                state.withLock { $0.senders.isEmpty ? nil : $0.senders.removeFirst() }?.resume()
            }
            return state.withLock { $0.close.map { $0.code != 1006 } ?? false }
        } catch {
            return false
        }
    }

    func send(_ text: String, numbered seq: Int64, of user: Int) async throws {
        let type = text.range(ofBytes: #"{"type":""#).map { range in
            String(text[range.upperBound...].part(before: "\""))
        }
        let event = StreamedEvent(id: "\(user)-\(seq)", type: type, data: text)
        try await send(event.text)
    }

    func sendKeepAlive() async throws {
        try await send(":\n\n")
    }

    private func send(_ text: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let isOver = state.withLock { state in
                guard !state.isOver else { return true }
                state.senders.append(continuation)
                writing.yield(ByteBuffer(string: text))
                return false
            }
            if isOver { continuation.resume(throwing: ChannelError.alreadyClosed) }
        }
    }

    /// The number of the message after which a client resumes its stream, or `nil` if there is none.
    static func position(_ lastEventID: String?) -> Int64? {
        lastEventID?.parts(at: "-").last.flatMap { Int64($0) }
    }

    func closing() async -> WebSocketCloseReport? {
        await transportEnd()
        return Task.isCancelled ? nil : report
    }

    func close(with close: FeedClose) async -> WebSocketCloseReport {
        state.withLock { $0.close = close }
        finish()
        return WebSocketCloseReport(
            code: close.code,
            reason: close.reason,
            initiator: .us,
            clean: close.code != 1006
        )
    }

    func end() async -> WebSocketCloseReport {
        await transportEnd()
        return report
    }

    /// Returns when the transport has ended, or the caller is cancelled.
    private func transportEnd() async {
        let (events, end) = AsyncStream.makeStream(of: Never.self)
        channel.closeFuture.whenComplete { _ in end.finish() }
        for await _ in events {}
    }

    /// Does nothing, since a stream whose owner sends nothing is silent.
    func freeze() {}

    func drop() {
        channel.close(promise: nil)
    }

    /// Ends the writing; what has not been written is dropped.
    func finish() {
        writing.finish()
        let senders = state.withLock { state in
            state.isOver = true
            defer { state.senders = [] }
            return state.senders
        }
        for sender in senders { sender.resume(throwing: ChannelError.alreadyClosed) }
    }

    private var report: WebSocketCloseReport {
        WebSocketCloseReport(code: 1006, reason: "", initiator: .transport, clean: false)
    }
}

/// Closes the connection as soon as the client closes its side, and not only when a write fails.
final class ClientEndHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { return context.close(mode: .all, promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}
