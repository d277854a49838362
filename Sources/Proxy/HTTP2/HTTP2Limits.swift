import NIOCore
import NIOHPACK
import NIOHTTP2
import Platform

/// The limits for connections of HTTP/2, in either direction: no app needs more, and a flood ends its
/// connection.
enum HTTP2Limits {
    /// PING, SETTINGS and PRIORITY within `controlWindow`: gRPC for Go sends a PING with each answer
    /// unless the one before is in progress, so there are no more of them than round trips.
    private static let controlFrames = 20_000
    private static let controlWindow = TimeAmount.seconds(2)
    /// Streams that are reset within `window`, as by an app whose user types into a search field.
    private static let resets = 1_000
    private static let window = TimeAmount.seconds(30)
    /// The bytes that may be written to a stream before the other side is read no more.
    private static let outboundBuffer = 16_384
    /// Streams hold each other up by no window of the connection.
    private static let connectionWindow = 1 << 20
    /// The streams of one connection, if there is room for them, and those of any connection.
    private static let streams = 8...100
    /// The bytes that a stream takes up if it is not read, without what it has of the budget.
    static let streamMemory = StreamWindow.least + outboundBuffer
    /// The bytes that the streams of one connection share, and those that all connections do.
    static let connectionBudget = 2 << 20
    static let budget = 256 << 20

    /// Returns the number of streams that a connection may have at once, so that those that are not read
    /// take up no more than the budget, whatever the number of connections.
    static func streams(within budget: WindowBudget) -> Int {
        min(max(budget.room / streamMemory, streams.lowerBound), streams.upperBound)
    }

    /// Returns the configuration of a connection whose peer may open this number of streams at once.
    static func connection(streams: Int) -> NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: streams),
            HTTP2Setting(parameter: .initialWindowSize, value: StreamWindow.least),
            HTTP2Setting(parameter: .maxHeaderListSize, value: HeadScanner.maximum),
        ]
        // What a length says is between the app and the backend.
        configuration.contentLengthValidation = .disabled
        configuration.targetWindowSize = connectionWindow
        configuration.controlFrameRateLimit.maximumCount = controlFrames
        configuration.controlFrameRateLimit.windowLength = controlWindow
        return configuration
    }

    /// Those towards a backend, which may push nothing (RFC 9113 section 8.4).
    static var backendConnection: NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = connection(streams: streams.upperBound)
        configuration.initialSettings.append(HTTP2Setting(parameter: .enablePush, value: 0))
        return configuration
    }

    static var stream: NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        // `StreamCodec` grants what may be sent, once there is room for it: NIO would as soon as a frame
        // is delivered.
        configuration.targetWindowSize = 0
        configuration.outboundBufferSizeHighWatermark = outboundBuffer
        configuration.outboundBufferSizeLowWatermark = outboundBuffer / 2
        configuration.streamResetFrameRateLimit.maximumCount = resets
        configuration.streamResetFrameRateLimit.windowLength = window
        configuration.streamErrorRateLimit.maximumCount = resets
        configuration.streamErrorRateLimit.windowLength = window
        return configuration
    }
}

/// Notices the GOAWAY by which NIO reacts to an error of the connection, which it reports like one of a
/// stream.
final class GoAwayWatch: ChannelDuplexHandler {
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

    /// Writes a GOAWAY of our own.
    func withoutWatching(_ write: () -> Void) {
        let before = hasFailed
        write()
        hasFailed = before
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        isReading = true
        context.fireChannelRead(data)
        isReading = false
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var frame = unwrapOutboundIn(data)
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
