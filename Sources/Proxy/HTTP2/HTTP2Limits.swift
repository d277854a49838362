import NIOCore
import NIOHTTP2

/// The limits for connections of HTTP/2, in either direction: no app needs more, and a flood ends its
/// connection.
enum HTTP2Limits {
    /// PING, SETTINGS and PRIORITY within `controlWindow`: gRPC for Go sends a PING with each answer
    /// unless the one before is in progress, so there are no more of them than round trips.
    private static let controlFrames = 20_000
    private static let controlWindow = TimeAmount.seconds(2)
    /// Frames that serve nothing within `window`, as `FrameMeter` counts them.
    private static let uselessFrames = 20_000
    /// Frames of DATA without content since the last request: a server may flush what is empty.
    private static let emptyFrames = 1_000
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
        configuration.maximumSequentialEmptyDataFrames = emptyFrames
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

    /// Returns the meter of the frames of a client, or of a backend.
    static func meter(ofClient isOfClient: Bool) -> FrameMeter {
        FrameMeter(limit: uselessFrames, within: window, isOfClient: isOfClient)
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
