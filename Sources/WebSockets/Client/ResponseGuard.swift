package import NIOCore
package import NIOHTTP1

/// Refuses responses that break HTTP, or have no bounds, before a client sees them.
///
/// NIO's decoder passes on any three digits as a status, and interim responses without end. A
/// status below 100 violates a precondition of AsyncHTTPClient, which ends the process. A refusal
/// is a `ResponseViolation` in the pipeline, and the end of the connection.
package enum ResponseGuard {
    /// For the head of a response with the interim responses before it, and for what frames its
    /// body, in bytes.
    package static let maximumHead = 64 << 10
    package static let maximumInterimResponses = 16
    /// Chunks of one byte are framed by five.
    fileprivate static let framingPerBodyByte = 8

    /// Adds one handler before the decoder, which counts its bytes, and one behind it, which checks
    /// what it reads.
    ///
    /// - Parameters:
    ///   - decoder: Forwards interim responses; they end here.
    ///   - operations: Of the decoder's pipeline.
    ///   - allowsUpgrade: Whether a 101 is a fair answer; the handlers let everything pass behind
    ///     one.
    /// - Throws: When the decoder is not in the pipeline.
    package static func add(
        around decoder: ByteToMessageHandler<HTTPResponseDecoder>,
        in operations: ChannelPipeline.SynchronousOperations,
        allowsUpgrade: Bool
    ) throws {
        let meter = ResponseMeter(allowsUpgrade: allowsUpgrade)
        try operations.addHandler(ResponseByteHandler(meter), position: .before(decoder))
        try operations.addHandler(ResponsePartHandler(meter), position: .after(decoder))
    }
}

/// What has come of the response to the latest request.
private final class ResponseMeter {
    enum Phase {
        /// No request is waiting.
        case idle
        case head
        case body
        /// Another protocol has begun.
        case upgraded
        case refused
    }

    private(set) var phase = Phase.idle
    private let allowsUpgrade: Bool
    private var interimResponses = 0
    /// Bytes of the head so far, and then, from its end on, of the body and its framing.
    private var bytes = 0
    private var bodyBytes = 0

    init(allowsUpgrade: Bool) {
        self.allowsUpgrade = allowsUpgrade
    }

    func requestBegan() {
        guard phase == .idle || phase == .head || phase == .body else { return }
        phase = .head
        interimResponses = 0
        bytes = 0
        bodyBytes = 0
    }

    func received(bytes count: Int) {
        bytes += count
    }

    /// To be checked when the bytes that were received have been decoded.
    func checkBytes() throws(ResponseViolation) {
        switch phase {
        case .head where bytes > ResponseGuard.maximumHead:
            throw refuse(.headOver(ResponseGuard.maximumHead))
        case .body
        where bytes - bodyBytes > ResponseGuard.maximumHead
            + ResponseGuard.framingPerBodyByte * bodyBytes:
            throw refuse(.framingOver(ResponseGuard.maximumHead))
        case .idle, .head, .body, .upgraded, .refused:
            break
        }
    }

    /// - Returns: Whether the client is to see it: interim responses are not for it.
    func received(_ part: HTTPClientResponsePart) throws(ResponseViolation) -> Bool {
        switch part {
        case .head(let head): return try received(head)
        case .body(let body):
            bodyBytes += body.readableBytes
        case .end(let trailers):
            guard trailers?.byteCount ?? 0 <= ResponseGuard.maximumHead else {
                throw refuse(.framingOver(ResponseGuard.maximumHead))
            }
            if phase == .body { phase = .idle }
        }
        return true
    }

    private func received(_ head: HTTPResponseHead) throws(ResponseViolation) -> Bool {
        let status = Int(head.status.code)
        guard status >= 100 else { throw refuse(.status(status)) }
        guard head.headers.byteCount <= ResponseGuard.maximumHead else {
            throw refuse(.headOver(ResponseGuard.maximumHead))
        }
        if status == 101 {
            guard allowsUpgrade else { throw refuse(.unrequestedUpgrade) }
            phase = .upgraded
            return true
        }
        guard status >= 200 else {
            interimResponses += 1
            guard interimResponses <= ResponseGuard.maximumInterimResponses else {
                throw refuse(.interimResponses(ResponseGuard.maximumInterimResponses))
            }
            return false
        }
        let codings = head.headers[canonicalForm: "Transfer-Encoding"]
        guard codings.count <= 1, codings.allSatisfy({ $0.isPlainCoding }) else {
            throw refuse(.transferCoding)
        }
        phase = .body
        bytes = 0
        return true
    }

    func refuse(_ violation: ResponseViolation) -> ResponseViolation {
        phase = .refused
        return violation
    }
}

extension HTTPHeaders {
    /// Of their names and values.
    fileprivate var byteCount: Int {
        reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

extension Substring {
    /// `identity`, from RFC 2616, says that there is none.
    fileprivate var isPlainCoding: Bool { ["chunked", "identity"].contains(lowercased()) }
}

/// Counts the bytes that go into the decoder.
private final class ResponseByteHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Few enough that a limit is not overrun by much before it is checked.
    private static let pieceSize = 4 << 10

    private let meter: ResponseMeter

    init(_ meter: ResponseMeter) {
        self.meter = meter
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        do throws(ResponseViolation) {
            while buffer.readableBytes > 0 {
                switch meter.phase {
                case .refused:
                    return
                case .idle:
                    throw meter.refuse(.unsolicited)
                case .upgraded:
                    context.fireChannelRead(wrapInboundOut(buffer))
                    return
                case .head, .body:
                    let size = min(buffer.readableBytes, Self.pieceSize)
                    guard let piece = buffer.readSlice(length: size) else { return }
                    meter.received(bytes: size)
                    context.fireChannelRead(wrapInboundOut(piece))
                    try meter.checkBytes()
                }
            }
        } catch {
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }
}

/// Checks what the decoder has read.
private final class ResponsePartHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart

    private let meter: ResponseMeter

    init(_ meter: ResponseMeter) {
        self.meter = meter
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if meter.phase != .upgraded, case .head = unwrapOutboundIn(data) { meter.requestBegan() }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard meter.phase != .upgraded else { return context.fireChannelRead(data) }
        guard meter.phase != .refused else { return }
        do throws(ResponseViolation) {
            guard try meter.received(unwrapInboundIn(data)) else { return }
            context.fireChannelRead(data)
        } catch {
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }
}

/// Why a response is refused before a client takes it: it breaks HTTP, or has no bounds.
package enum ResponseViolation: Error, Sendable, Hashable {
    /// A status below 100, which is none (RFC 9110 section 15).
    case status(Int)
    /// More interim responses (1xx) than this, and no final one.
    case interimResponses(Int)
    /// A 101 to a request that did not ask for it (RFC 9110 section 7.8).
    case unrequestedUpgrade
    /// A transfer coding besides `chunked`, which no request of ours allows (RFC 9110 section
    /// 10.1.4).
    case transferCoding
    /// The head of a response, or its interim responses together, over this many bytes.
    case headOver(Int)
    /// What frames the body, chunk sizes and trailers, over this many bytes beside the body's own.
    case framingOver(Int)
    /// Bytes while no request is waiting for any.
    case unsolicited
}
