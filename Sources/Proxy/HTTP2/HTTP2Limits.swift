import NIOCore
import NIOHPACK
import NIOHTTP2
import Platform

/// The limits for connections of HTTP/2, in either direction: no app needs more, and a flood ends its
/// connection.
enum HTTP2Limits {
    /// PING, SETTINGS and PRIORITY within `window`; gRPC asks for the round trip a few times a second.
    private static let controlFrames = 2_000
    /// Streams that are reset within `window`, as by an app whose user types into a search field.
    private static let resets = 1_000
    private static let window = TimeAmount.seconds(30)
    /// The part of a body that is on its way between the sides, in bytes.
    private static let streamWindow = 65_535
    private static let connectionWindow = 1 << 20

    static var connection: NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 100),
            HTTP2Setting(parameter: .maxHeaderListSize, value: HeadScanner.maximum),
        ]
        // What a length says is between the app and the backend.
        configuration.contentLengthValidation = .disabled
        configuration.targetWindowSize = connectionWindow
        configuration.controlFrameRateLimit.maximumCount = controlFrames
        configuration.controlFrameRateLimit.windowLength = window
        return configuration
    }

    /// Those towards a backend, which may push nothing (RFC 9113 section 8.4).
    static var backendConnection: NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = connection
        configuration.initialSettings.append(HTTP2Setting(parameter: .enablePush, value: 0))
        return configuration
    }

    static var stream: NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        configuration.targetWindowSize = streamWindow
        configuration.outboundBufferSizeHighWatermark = streamWindow
        configuration.outboundBufferSizeLowWatermark = streamWindow / 2
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
        if let code = HTTP2ErrorCode(ofGoAway: unwrapOutboundIn(data)), code != .noError {
            hasFailed = true
        }
        context.write(data, promise: promise)
    }
}
