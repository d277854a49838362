import NIOCore
import NIOHTTP2
import Platform

/// Watches the bytes between NIO and the peer of a connection, and ends the connection of one that floods
/// it.
///
/// It notices the GOAWAY by which NIO reacts to an error of the connection, which it reports like one of a
/// stream.
final class FrameWatch: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private(set) var hasFailed = false
    /// The newest stream of the peer, or `nil` if it opens none.
    ///
    /// To a peer that misbehaves, NIO says that no stream was processed (RFC 9113 section 6.8), so that
    /// it would send again what has been relayed.
    var lastStream: HTTP2StreamID?
    /// Whether what the peer has sent is read now.
    private(set) var isReading = false
    private var meter: FrameMeter
    /// The bytes of DATA that are written after the head of their frame.
    private var content = 0

    /// - Parameter meter: Counts the frames of the peer.
    init(_ meter: FrameMeter) {
        self.meter = meter
    }

    /// Writes a GOAWAY of our own.
    func withoutWatching(_ write: () -> Void) {
        let before = hasFailed
        write()
        hasFailed = before
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard meter.allows(unwrapInboundIn(data), at: .now()) else { return refuse(context) }
        isReading = true
        context.fireChannelRead(data)
        isReading = false
    }

    /// Ends the connection as NIO ends one with too many frames of the kinds that it counts.
    private func refuse(_ context: ChannelHandlerContext) {
        guard !hasFailed else { return }
        hasFailed = true
        var frame = ByteBuffer(bytes: [0, 0, 8, 7, 0, 0, 0, 0, 0])
        frame.writeInteger(lastStream.map { UInt32(Int($0)) } ?? 0)
        frame.writeInteger(UInt32(HTTP2ErrorCode.enhanceYourCalm.networkCode))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
        context.fireErrorCaught(NIOHTTP2Errors.excessiveControlFrames())
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var frame = unwrapOutboundIn(data)
        guard content == 0 else {
            content -= min(content, frame.readableBytes)
            return context.write(data, promise: promise)
        }
        if let length = frame.lengthOfData {
            content = length
            meter.recordSent(length)
            return context.write(data, promise: promise)
        }
        guard let code = HTTP2ErrorCode(ofGoAway: frame), code != .noError else {
            return context.write(data, promise: promise)
        }
        hasFailed = true
        if let lastStream {
            frame.setInteger(UInt32(Int(lastStream)), at: frame.readerIndex + 9)
        }
        context.write(wrapOutboundOut(frame), promise: promise)
    }
}

extension ByteBuffer {
    /// The length of a frame of DATA, of which NIO writes the head by itself, or `nil` for other bytes that
    /// it writes.
    fileprivate var lengthOfData: Int? {
        guard readableBytes == 9, let head = getInteger(at: readerIndex, as: UInt32.self),
            HTTP2FrameType(rawValue: UInt8(truncatingIfNeeded: head)) == .data
        else { return nil }
        return Int(head >> 8)
    }
}
