import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS
import Synchronization

/// Guards connections of HTTP/2 from the handshake of TLS on, while requests wait for one.
///
/// AsyncHTTPClient passes a connection to its initializer after the server's first SETTINGS. Until
/// then it has no limit, and all requests to that origin wait for it: a server that sends none, or
/// such as are not allowed, would block every later request, and may fill the memory. The channels
/// are therefore found at their event loop, for which NIO has no interface: it is read by reflection.
/// If that fails, requests still have their own limits.
final class HTTP2Openings: Sendable {
    /// The limit from the end of the handshake to SETTINGS that allow a stream.
    static let limit = TimeAmount.seconds(5)
    /// Often enough to see a handshake on the same machine, and later one over a network.
    private static let intervals = (
        first: TimeAmount.milliseconds(1), later: TimeAmount.milliseconds(10)
    )
    private static let firstLooks = 100
    /// The time in which the requests of a closed connection fail.
    private static let failing = TimeAmount.milliseconds(5)
    /// The least interval for each channel that there is, so that looking takes a twentieth of the
    /// time of the loop at most.
    private static let intervalOfChannel = TimeAmount.microseconds(100)

    private struct State {
        var waiting: Set<ObjectIdentifier> = []
        /// The time until which a connection may still come that no request waits for any more.
        var end = NIODeadline.uptimeNanoseconds(0)
        var looks = 0
        var next: Scheduled<Void>?
        var fault: NetworkFault?

        func isLooking(at now: NIODeadline) -> Bool { !waiting.isEmpty || now < end }
    }

    private let loop: any EventLoop
    private let connectTimeout: TimeAmount
    private let state = Mutex(State())

    /// - Parameters:
    ///   - loop: The event loop of all channels.
    ///   - connectTimeout: The limit for DNS, TCP and TLS together.
    init(on loop: any EventLoop, connectTimeout: TimeAmount) {
        self.loop = loop
        self.connectTimeout = connectTimeout
    }

    /// The fault of the connection that is being closed, on the event loop.
    var fault: NetworkFault? { state.withLock { $0.fault } }

    /// Looks for new connections until this request has one.
    func begin(for request: AnyObject) {
        state.withLock { state in
            if state.waiting.isEmpty { state.looks = 0 }
            state.waiting.insert(ObjectIdentifier(request))
            if state.next == nil { state.next = look(after: Self.intervals.first) }
        }
    }

    /// Stops looking for this request, which has a connection.
    func end(for request: AnyObject) {
        state.withLock { state in
            state.waiting.remove(ObjectIdentifier(request))
            guard !state.isLooking(at: .now()) else { return }
            state.next?.cancel()
            state.next = nil
        }
    }

    /// Looks on for the connection of this request for as long as it may take, if it has none:
    /// AsyncHTTPClient keeps on opening it when the request is given up.
    func giveUp(for request: AnyObject) {
        state.withLock { state in
            guard state.waiting.remove(ObjectIdentifier(request)) != nil else { return }
            state.end = .now() + connectTimeout
        }
    }

    /// Closes a connection, and gives its requests the fault.
    fileprivate func close(_ channel: any Channel, with fault: NetworkFault) {
        // Requests fail in AsyncHTTPClient's own callback before this one, or in one of the turns of the
        // loop that follow.
        channel.closeFuture.whenComplete { [self] _ in
            loop.scheduleTask(in: Self.failing) { [self] in
                state.withLock { if $0.fault == fault { $0.fault = nil } }
            }
        }
        // A request that has got the connection fails before that is closed.
        state.withLock { $0.fault = fault }
        loop.execute { OriginConnector.closeBelowTLS(channel) }
    }

    private func look(after pause: TimeAmount) -> Scheduled<Void> {
        loop.scheduleTask(in: pause) { [self] in
            let count = guardChannels()
            state.withLock { state in
                guard state.isLooking(at: .now()) else { return state.next = nil }
                state.looks += 1
                let isEarly = state.looks < Self.firstLooks
                let interval = isEarly ? Self.intervals.first : Self.intervals.later
                state.next = look(after: max(interval, Self.intervalOfChannel * count))
            }
        }
    }

    /// Adds guards where there are none.
    ///
    /// - Returns: The number of channels.
    private func guardChannels() -> Int {
        let channels = loop.socketChannels
        for channel in channels {
            let operations = channel.pipeline.syncOperations
            guard let tls = try? operations.handler(type: NIOSSLClientHandler.self),
                (try? operations.context(handlerType: HTTP2OpeningGuard.self)) == nil
            else { continue }
            try? operations.addHandler(HTTP2OpeningGuard(self), position: .after(tls))
        }
        return channels.count
    }
}

/// Follows a connection with TLS to its first SETTINGS of HTTP/2, if it is one.
final class HTTP2OpeningGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let openings: HTTP2Openings
    private var isOpening = false
    private var allowsStreams = true
    private var timer: Scheduled<Void>?

    fileprivate init(_ openings: HTTP2Openings) {
        self.openings = openings
    }

    /// Guards a connection that was found after its handshake too.
    func handlerAdded(context: ChannelHandlerContext) {
        follow(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // In it, AsyncHTTPClient adds the handlers of HTTP/2.
        context.fireUserInboundEventTriggered(event)
        if case .handshakeCompleted? = event as? TLSUserEvent { follow(context) }
    }

    /// Returns whether the server allows streams, by these settings or those before.
    func allowsStreams(by settings: HTTP2Settings) -> Bool {
        let limit = settings.last { $0.parameter == .maxConcurrentStreams }
        if let limit { allowsStreams = limit.value > 0 }
        return allowsStreams
    }

    /// Ends the guard's work: the server has sent its SETTINGS.
    func opened() {
        isOpening = false
        timer?.cancel()
    }

    /// Closes the connection, on which no request has begun.
    func end(with fault: NetworkFault, _ channel: any Channel) {
        opened()
        openings.close(channel, with: fault)
    }

    private func follow(_ context: ChannelHandlerContext) {
        let operations = context.pipeline.syncOperations
        guard timer == nil,
            (try? operations.context(handlerType: NIOHTTP2Handler.self)) != nil,
            (try? operations.context(handlerType: HTTP2ConnectionGuard.self)) == nil,
            (try? HTTP2ConnectionGuard.add(to: operations, opening: self)) != nil
        else { return }
        isOpening = true
        let channel = context.channel
        let limit = HTTP2Openings.limit
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { [self] in
            guard isOpening else { return }
            let duration = Duration.nanoseconds(limit.nanoseconds)
            end(with: allowsStreams ? .noSettings(duration) : .noStreams(duration), channel)
        }
    }
}

extension EventLoop {
    /// The channels with a socket that are registered at a loop of NIOPosix, on that loop; none if its
    /// properties have other names.
    fileprivate var socketChannels: [any Channel] {
        preconditionInEventLoop()
        guard let registrations = Mirror(reflecting: self).descendant("_selector", "registrations")
        else { return [] }
        return Mirror(reflecting: registrations).children.compactMap { registration in
            let pair = Mirror(reflecting: registration.value)
            return pair.descendant("value", "channel", "socketChannel") as? any Channel
        }
    }
}
