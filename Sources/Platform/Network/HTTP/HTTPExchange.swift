import AsyncHTTPClient
import Basics
import HTTP
import NIOCore
import NIOHTTP1
import Profiles
import Synchronization

/// Follows one exchange on its event loop and collects the response, within limits.
///
/// The client calls `didSendRequestHead` in the same turn of the loop in which it writes the head,
/// and channel and task share their loop: if the task has failed without that call, nothing has
/// been sent and nothing will be. With separate loops, a cancelled request overtakes the call and
/// counts as not sent although the server has read it; `NotSentTests` shows that within a second.
final class HTTPExchange: HTTPClientResponseDelegate {
    typealias Response = WireResponse

    static let maximumBody = WireResponse.bodyLimit

    private let timekeeper: any Timekeeper
    private let connections: ConnectionNotes
    private let openings: HTTP2Openings
    /// Whether the client leaves as soon as the request is written.
    private let leavesWhenSent: Bool
    private let state = Mutex(ExchangeProgress())
    /// Sound without a lock: it is used on the event loop of the task alone.
    nonisolated(unsafe) private var decoder = ContentDecoder(codings: [])

    init(
        timekeeper: any Timekeeper,
        clients: HTTPClients,
        leavesWhenSent: Bool = false
    ) {
        self.timekeeper = timekeeper
        connections = clients.notes
        openings = clients.openings
        self.leavesWhenSent = leavesWhenSent
    }

    var progress: ExchangeProgress { state.withLock { $0 } }

    func didSendRequestHead(task: HTTPClient.Task<WireResponse>, _ head: HTTPRequestHead) {
        openings.end(for: self)
        let now = timekeeper.now
        let isNew = connections.latestIsNew
        state.withLock { $0.headSent(at: now, newConnection: isNew) }
    }

    func didSendRequest(task: HTTPClient.Task<WireResponse>) {
        guard leavesWhenSent else { return }
        // Without a body, this comes before the head is flushed.
        task.eventLoop.execute { task.fail(reason: NetworkFault.cancelled) }
    }

    func didReceiveHead(
        task: HTTPClient.Task<WireResponse>,
        _ head: HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        task.eventLoop.makeCompletedFuture {
            let now = timekeeper.now
            let headers = head.headers.map { WireHeader($0.name, $0.value) }
            let answer = WireResponse(
                status: Int(head.status.code),
                statusLine: head.statusLine,
                headers: headers
            )
            decoder = ContentDecoder(for: head)
            state.withLock { $0.answerBegan(answer, at: now) }
        }
    }

    func didReceiveBodyPart(
        task: HTTPClient.Task<WireResponse>,
        _ buffer: ByteBuffer
    ) -> EventLoopFuture<Void> {
        task.eventLoop.makeCompletedFuture {
            try received(buffer)
        }
    }

    /// - Throws: `bodyOver`, of what it becomes if it is compressed, or `compressedBody`.
    private func received(_ buffer: ByteBuffer) throws(NetworkFault) {
        var fault: NetworkFault?
        do throws(WebSocketFailure) {
            try decoder.decode(buffer.readableBytesUInt8Span) { (part) throws(WebSocketFailure) in
                let bytes = part.withUnsafeBufferPointer { Array($0) }
                do throws(NetworkFault) {
                    try state.withLock { (state) throws(NetworkFault) in
                        try state.received(bytes, limit: Self.maximumBody)
                    }
                } catch {
                    fault = error
                    throw .tooBig("the body is too large")
                }
            }
        } catch {
            throw fault ?? .compressedBody
        }
    }

    func didReceiveError(task: HTTPClient.Task<WireResponse>, _ error: any Error) {
        guard let fault = openings.fault else { return }
        state.withLock { $0.connectionFailed(with: fault) }
    }

    func didFinishRequest(task: HTTPClient.Task<WireResponse>) throws -> WireResponse {
        guard let answer = progress.answer else { throw NetworkFault.closed }
        return answer
    }
}

extension HTTPResponseHead {
    /// The first line of the response; with HTTP/2, which has no phrases, what it would be.
    fileprivate var statusLine: String {
        version.major >= 2
            ? "HTTP/\(version.major) \(status.code)"
            : "\(version) \(status.code) \(status.reasonPhrase)"
    }
}
