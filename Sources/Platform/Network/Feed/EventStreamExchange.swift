import AsyncHTTPClient
import Basics
import Client
import HTTP
import Model
import NIOCore
import NIOHTTP1
import Profiles
import Synchronization

/// One request for an event stream, and the connection that its response becomes.
///
/// Received events wait for the reader: while `highWater` of them do, no further bytes are read, so
/// that the server waits too.
final class EventStreamExchange: HTTPClientResponseDelegate, FeedConnection {
    typealias Response = Void

    enum Answer: Sendable {
        case opened
        case refused(WireResponse)
        case failed(any Error)
    }

    private static let highWater = 256
    /// The largest number of parts that one read of a compressed stream may become.
    private static let maximumParts = 16_384

    private struct Reader {
        let limit: Int
        let continuation: CheckedContinuation<[FeedConnectionEvent], Never>
    }

    private struct State {
        var task: HTTPClient.Task<Void>?
        var parser = EventStreamParser()
        var answer: Answer?
        var answerWaiter: CheckedContinuation<Answer, Never>?
        /// A response that is no stream, as far as it has come.
        var refusal: WireResponse?
        var events: [FeedConnectionEvent] = []
        /// The first of them that has not been read.
        var next = 0
        var end: FeedConnectionEvent?
        var reader: Reader?
        /// Completed when more bytes may be read.
        var room: EventLoopPromise<Void>?

        var waiting: Int { events.count - next }

        /// Returns and removes what can be read, at most `limit` events.
        mutating func takeEvents(atMost limit: Int) -> [FeedConnectionEvent] {
            guard waiting > 0 else { return end.map { [$0] } ?? [] }
            let taken = events[next...].prefix(limit)
            next = taken.endIndex
            defer {
                if next == events.count {
                    events.removeAll(keepingCapacity: true)
                    next = 0
                }
            }
            return Array(taken)
        }

        /// Reads the next bytes of a stream, or of a refusal, of which a part is enough.
        mutating func read(
            _ bytes: [UInt8],
            into parts: inout [EventStreamPart]
        ) throws(WebSocketFailure) {
            if let refusal {
                let room = max(WireResponse.bodyLimit - refusal.body.count, 0)
                self.refusal?.body.append(contentsOf: bytes.prefix(room))
                return
            }
            do throws(EventStreamError) {
                try parser.read(bytes) { parts.append($0) }
            } catch {
                throw .tooBig("an event is too large")
            }
            guard parts.count <= EventStreamExchange.maximumParts else {
                throw .tooBig("too many events at once")
            }
        }

        /// Hands what can be read to the reader that waits.
        mutating func answerReader() {
            guard let reader else { return }
            let events = takeEvents(atMost: reader.limit)
            guard !events.isEmpty else { return }
            self.reader = nil
            reader.continuation.resume(returning: events)
        }
    }

    private let state = Mutex(State())
    /// Sound without a lock: it is used on the event loop of the task alone.
    nonisolated(unsafe) private var decoder = ContentDecoder(codings: [])
    private let gate: NetworkGate
    private let openings: HTTP2Openings

    init(gate: NetworkGate, openings: HTTP2Openings) {
        self.gate = gate
        self.openings = openings
    }

    func follow(_ task: HTTPClient.Task<Void>) {
        state.withLock { $0.task = task }
    }

    /// Waits for the head of the response, or the end of a refusal.
    func answer() async -> Answer {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state in
                if state.answer == nil { state.answerWaiter = continuation }
                return state.answer
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// Ends the request, unless its response is a stream.
    ///
    /// A refusal whose body has not ended is a refusal all the same.
    func giveUp(_ fault: NetworkFault) {
        let refusal = state.withLock { $0.answer == nil ? $0.refusal : nil }
        settle(refusal.map(Answer.refused) ?? .failed(fault))
        let isOpen = state.withLock { if case .opened? = $0.answer { true } else { false } }
        guard !isOpen || fault == .cancelled else { return }
        end(.closed(code: 1000, by: .us, reason: ""), cancelling: fault)
    }

    private func settle(_ answer: Answer) {
        let waiter = state.withLock { state in
            if state.answer == nil { state.answer = answer }
            defer { state.answerWaiter = nil }
            return state.answerWaiter
        }
        waiter?.resume(returning: answer)
    }

    // MARK: - The response

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        openings.end(for: self)
    }

    func didReceiveHead(
        task: HTTPClient.Task<Void>,
        _ head: HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        decoder = ContentDecoder(for: head)
        let type = head.headers.first(name: "Content-Type")?
            .part(before: ";").trimmingBlanks.asciiLowercased
        if head.status == .ok, type == EventStreamParser.mediaType {
            settle(.opened)
        } else {
            let response = WireResponse(
                status: Int(head.status.code),
                statusLine: "\(head.version) \(head.status.code) \(head.status.reasonPhrase)",
                headers: head.headers.map { WireHeader($0.name, $0.value) }
            )
            state.withLock { $0.refusal = response }
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(
        task: HTTPClient.Task<Void>,
        _ buffer: ByteBuffer
    ) -> EventLoopFuture<Void> {
        do throws(WebSocketFailure) {
            var parts: [EventStreamPart] = []
            try decoder.decode(buffer.readableBytesUInt8Span) { (part) throws(WebSocketFailure) in
                let bytes = part.withUnsafeBufferPointer { Array($0) }
                try state.withLock { (state) throws(WebSocketFailure) in
                    try state.read(bytes, into: &parts)
                }
            }
            return deliver(parts, on: task.eventLoop)
        } catch {
            // A refusal is one all the same.
            let refusal = state.withLock { $0.refusal }
            settle(refusal.map(Answer.refused) ?? .failed(NetworkFault.compressedBody))
            end(.closed(code: Int(error.code), by: .us, reason: ""), cancelling: .cancelled)
            return task.eventLoop.makeSucceededVoidFuture()
        }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {
        if let refusal = state.withLock({ $0.refusal }) { return settle(.refused(refusal)) }
        end(.closed(code: 1005, by: .peer, reason: ""))
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        settle(.failed(openings.fault ?? error))
        end(.closed(code: 1006, by: .transport, reason: ""))
    }

    private func deliver(
        _ parts: [EventStreamPart],
        on loop: any EventLoop
    ) -> EventLoopFuture<Void> {
        state.withLock { state in
            guard state.end == nil else { return loop.makeSucceededVoidFuture() }
            state.events += parts.map(FeedConnectionEvent.init)
            state.answerReader()
            guard state.waiting > Self.highWater else { return loop.makeSucceededVoidFuture() }
            let room = state.room ?? loop.makePromise(of: Void.self)
            state.room = room
            return room.futureResult
        }
    }

    /// Notes the end, which the reader gets after all that came before, and ends the request.
    private func end(_ event: FeedConnectionEvent, cancelling fault: NetworkFault? = nil) {
        let (task, room) = state.withLock { state in
            defer {
                state.room = nil
                state.task = nil
            }
            guard state.end == nil else { return (nil as HTTPClient.Task<Void>?, state.room) }
            state.end = event
            state.answerReader()
            return (state.task, state.room)
        }
        if let fault, gate.isOpen { task?.fail(reason: fault) }
        room?.succeed()
    }

    // MARK: - The connection

    func nextEvents(atMost limit: Int) async -> [FeedConnectionEvent] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let room = state.withLock { state in
                    state.reader = Reader(limit: limit, continuation: continuation)
                    state.answerReader()
                    guard state.waiting <= Self.highWater / 2 else {
                        return nil as EventLoopPromise<Void>?
                    }
                    defer { state.room = nil }
                    return state.room
                }
                if gate.isOpen { room?.succeed() }
            }
        } onCancel: {
            end(
                .closed(code: 1006, by: .us, reason: "reading was cancelled"),
                cancelling: .cancelled
            )
        }
    }

    func send(text: String) async {}

    func ping() async {}

    func traffic() async -> FeedTraffic? { nil }

    /// Ends the stream; there is no handshake.
    func close(code: Int, reason: String) async {
        end(.closed(code: code, by: .us, reason: reason), cancelling: .cancelled)
    }

    func cut() async {
        end(.closed(code: 1006, by: .transport, reason: ""), cancelling: .cancelled)
    }
}

extension FeedConnectionEvent {
    fileprivate init(_ part: EventStreamPart) {
        self =
            switch part {
            case .event(let event): .event(id: event.id, type: event.type, data: event.data)
            case .position(let id): .position(id)
            case .reconnectionTime(let milliseconds): .reconnectionTime(milliseconds)
            case .comment: .keepAlive
            }
    }
}
