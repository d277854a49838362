import NIOCore
package import NIOHPACK
import NIOHTTP2
import Profiles

/// Checks the header blocks of one stream before NIO's codec makes HTTP/1.1 of them.
///
/// The codec terminates the process at a `:status` that is empty or negative, and AsyncHTTPClient at
/// one of four digits that another response follows.
///
/// It also ends a stream whose response is complete, and whose request still waits for room that the
/// server does not give it: the pool of AsyncHTTPClient counts it as in use.
final class HTTP2ResponseGuard: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    /// The time that the rest of a request has after its response.
    private static let timeout = TimeAmount.seconds(1)

    private var rules = HeaderBlockRules()
    private var isRefused = false
    private var timer: Scheduled<Void>?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        let payload = unwrapInboundIn(data)
        if case .headers(let block) = payload {
            do throws(HTTP2Violation) {
                try rules.check(block.headers, endsStream: block.endStream)
            } catch {
                isRefused = true
                context.fireErrorCaught(NetworkFault.badHTTP2(error))
                context.close(promise: nil)
                return
            }
        }
        context.fireChannelRead(data)
        if payload.endsStream, context.channel.isActive, timer == nil {
            timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.timeout) {
                context.close(promise: nil)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }
}

extension HTTP2Frame.FramePayload {
    fileprivate var endsStream: Bool {
        switch self {
        case .headers(let block): block.endStream
        case .data(let part): part.endStream
        default: false
        }
    }
}

/// The rules for the header blocks of a response, which come one after the other: interim responses,
/// the final one, and trailers (RFC 9113, section 8).
package struct HeaderBlockRules: Sendable {
    /// Whether the head of the final response has come, so that only trailers can follow.
    package private(set) var hasFinalHead = false

    package init() {}

    /// Checks the next block.
    package mutating func check(
        _ fields: HPACKHeaders,
        endsStream: Bool
    ) throws(HTTP2Violation) {
        var status: String?
        var isPastPseudoFields = false
        for (name, value, _) in fields {
            if name.utf8.first == UInt8(ascii: ":") {
                guard name == ":status", status == nil, !isPastPseudoFields, !hasFinalHead else {
                    throw .pseudoFields
                }
                status = value
            } else {
                isPastPseudoFields = true
                guard RequestSyntax.isToken(name),
                    !name.utf8.contains(where: { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 })
                else { throw .fieldName }
            }
        }
        if hasFinalHead {
            guard endsStream else { throw .endlessTrailers }
        } else {
            try checkHead(status, endsStream: endsStream)
        }
    }

    private mutating func checkHead(
        _ status: String?,
        endsStream: Bool
    ) throws(HTTP2Violation) {
        guard let digits = status?.utf8 else { throw .pseudoFields }
        guard digits.count == 3, let first = digits.first,
            UInt8(ascii: "1")...UInt8(ascii: "5") ~= first,
            digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { throw .status }
        if first != UInt8(ascii: "1") {
            hasFinalHead = true
        } else if endsStream {
            throw .interimEnd
        }
    }
}
