import Basics
package import NIOCore
package import NIOHTTP1

/// Rejects responses that violate HTTP, or exceed limits, before a client sees them.
///
/// NIO's decoder accepts any three digits as a status, and an unlimited number of interim
/// responses. A status below 100 violates a precondition of AsyncHTTPClient, which terminates the
/// process. A rejection is a `ResponseViolation` in the pipeline, and closes the connection.
package enum ResponseGuard {
    /// The limit for the head of a response including the interim responses before it, and for the
    /// framing of its body, in bytes.
    static let maximumHead = 64 << 10
    static let maximumInterimResponses = 16
    /// Chunks of one byte have five bytes of framing.
    fileprivate static let framingPerBodyByte = 8

    /// Adds one handler before the decoder, which counts its bytes, and one after it, which checks
    /// its output.
    ///
    /// - Parameters:
    ///   - decoder: The decoder, which forwards interim responses; they are dropped here.
    ///   - operations: The pipeline of the decoder.
    ///   - allowsUpgrade: Whether a 101 is accepted; after one, the handlers let everything pass.
    /// - Throws: If the decoder is not in the pipeline.
    package static func add(
        around decoder: ByteToMessageHandler<HTTPResponseDecoder>,
        in operations: ChannelPipeline.SynchronousOperations,
        allowsUpgrade: Bool
    ) throws {
        let meter = ResponseMeter(allowsUpgrade: allowsUpgrade)
        try operations.addHandler(ResponseByteHandler(meter), position: .before(decoder))
        try operations.addHandler(ResponsePartHandler(meter), position: .after(decoder))
    }

    /// Adds the handler that checks the responses of one stream of HTTP/2, whose framing has limits
    /// of its own.
    ///
    /// - Parameters:
    ///   - codec: The handler that makes responses of the stream's frames.
    ///   - operations: The pipeline of the codec.
    /// - Throws: If the codec is not in the pipeline.
    package static func add(
        after codec: any ChannelHandler,
        in operations: ChannelPipeline.SynchronousOperations
    ) throws {
        let handler = ResponsePartHandler(ResponseMeter(allowsUpgrade: false))
        try operations.addHandler(handler, position: .after(codec))
    }
}

/// The progress of the response to the latest request.
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
    /// The bytes of the head so far, and after its end, of the body and its framing.
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

    /// Checks the limits; called after the received bytes have been decoded.
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

    /// - Returns: Whether to pass the part to the client; interim responses are dropped.
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
    /// The size of their names and values.
    fileprivate var byteCount: Int {
        reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

extension Substring {
    /// Whether the coding is `chunked`, or `identity` of RFC 2616, which means none.
    fileprivate var isPlainCoding: Bool { ["chunked", "identity"].contains(asciiLowercased) }
}

/// Counts the bytes that go into the decoder.
private final class ResponseByteHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Small enough that a limit is not exceeded by much before it is checked.
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

/// The reason why a response is rejected: it violates HTTP, or exceeds limits.
package enum ResponseViolation: Error, Sendable, Hashable {
    /// A status below 100, which is invalid (RFC 9110 section 15).
    case status(Int)
    /// More interim responses (1xx) than this, without a final one.
    case interimResponses(Int)
    /// A 101 to a request without an upgrade (RFC 9110 section 7.8).
    case unrequestedUpgrade
    /// A transfer coding other than `chunked`, which our requests do not allow (RFC 9110 section
    /// 10.1.4).
    case transferCoding
    /// The head of a response, or its interim responses together, exceed this many bytes.
    case headOver(Int)
    /// The framing of the body, which is chunk sizes and trailers, exceeds the body by more than
    /// this many bytes.
    case framingOver(Int)
    /// Bytes arrived while no request was waiting.
    case unsolicited
}
