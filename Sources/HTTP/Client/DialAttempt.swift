import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One dial: a transport, its TLS, the upgrade, and one time limit for all of them.
struct DialAttempt: Sendable {
    /// The state of the attempt, on its event loop.
    private struct State {
        /// The upgrades of all transports that are tried.
        var upgrades: [ObjectIdentifier: EventLoopFuture<ClientUpgrader.UpgradeResult>] = [:]
        /// The transport that was connected first.
        var channel: (any Channel)?
        var isOver = false
    }

    private let request: WebSocketRequest
    private let head: HTTPRequestHead
    private let tls: NIOSSLContext?
    private let checksPeer: PeerCheck?
    private let upgrader: ClientUpgrader
    private let loop: any EventLoop
    private let result: EventLoopPromise<WebSocketDialResult>
    private let state: NIOLoopBoundBox<State>

    init(
        _ request: WebSocketRequest,
        on loop: any EventLoop,
        tls: NIOSSLContext?,
        checksPeer: PeerCheck?,
        limits: WebSocketLimits,
        random: @escaping @Sendable () -> UInt64
    ) throws(WebSocketDialError) {
        head = try UpgradeRequest(request).head
        if request.scheme == .wss, tls == nil { throw .invalidRequest("wss without TLS") }
        self.request = request
        self.tls = request.scheme == .wss ? tls : nil
        self.checksPeer = checksPeer
        self.loop = loop
        upgrader = ClientUpgrader(
            random: random,
            limits: limits,
            subprotocols: request.subprotocols,
            compression: request.compression
        )
        result = loop.makePromise()
        state = .makeBoxSendingValue(State(), eventLoop: loop)
    }

    func run(timeout: TimeAmount) async throws(WebSocketDialError) -> WebSocketDialResult {
        let limit = loop.scheduleTask(in: timeout) { expire() }
        defer { limit.cancel() }
        if let proxy = request.proxy {
            connect(through: proxy, within: timeout)
        } else {
            connect(within: timeout)
        }
        do {
            return try await withTaskCancellationHandler {
                try await result.futureResult.get()
            } onCancel: {
                loop.execute { finish(.failure(WebSocketDialError.cancelled)) }
            }
        } catch let error as WebSocketDialError {
            throw error
        } catch {
            throw WebSocketDialError(error)
        }
    }

    private func connect(within timeout: TimeAmount) {
        ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try prepare(channel) }
            }
            .connect(host: request.host, port: request.port)
            .hop(to: loop)
            .whenComplete { connected in
                switch connected {
                case .success(let channel): follow(channel)
                case .failure(let error): finish(.failure(WebSocketDialError(connecting: error)))
                }
            }
    }

    /// Connects to the proxy, which then connects to the server.
    private func connect(through proxy: WebSocketProxy, within timeout: TimeAmount) {
        let tunnel = ProxyTunnel(proxy: proxy, host: request.host, port: request.port)
        ClientBootstrap(group: loop)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: proxy.host, port: proxy.port)
            .hop(to: loop)
            .whenComplete { connected in
                switch connected {
                case .success(let channel):
                    state.value.channel = channel
                    tunnel.open(on: channel).whenComplete { opened in
                        switch opened {
                        case .success: followTunnel(channel)
                        case .failure(let error): finish(.failure(error))
                        }
                    }
                case .failure(let error): finish(.failure(WebSocketDialError(connecting: error)))
                }
            }
    }

    private func followTunnel(_ channel: any Channel) {
        do {
            try prepare(channel)
            follow(channel)
        } catch {
            finish(.failure(error))
        }
    }

    private func prepare(_ channel: any Channel) throws {
        if let tls {
            let name = request.host.isAddress ? nil : request.host
            let handler = try NIOSSLClientHandler(context: tls, serverHostname: name)
            try channel.pipeline.syncOperations.addHandler(handler)
            if let checksPeer {
                let check = PeerCheckHandler(handshake: handler, check: checksPeer)
                try channel.pipeline.syncOperations.addHandler(check)
            }
        }
        state.value.upgrades[ObjectIdentifier(channel)] =
            try upgrader.configure(channel, request: head)
    }

    /// The response may have arrived by now.
    private func follow(_ channel: any Channel) {
        let upgrade = state.value.upgrades[ObjectIdentifier(channel)]
        state.value.upgrades = [:]
        guard !state.value.isOver, let upgrade else {
            channel.close(promise: nil)
            return
        }
        state.value.channel = channel
        upgrade.flatMap { $0 }.whenComplete { finish($0) }
    }

    private func finish(_ outcome: Result<WebSocketDialResult, any Error>) {
        guard !state.value.isOver else {
            if case .success(.open(let connection, _)) = outcome { connection.drop() }
            return
        }
        state.value.isOver = true
        switch outcome {
        case .success:
            result.completeWith(outcome)
        case .failure(let error):
            result.fail(error)
            state.value.channel?.close(promise: nil)
        }
    }

    /// A partly read rejection is more useful than a timeout.
    private func expire() {
        let operations = state.value.channel?.pipeline.syncOperations
        if let refusal = try? operations?.handler(type: RefusalReader.self) {
            refusal.expire()
        } else {
            finish(.failure(WebSocketDialError.timedOut))
        }
    }
}

extension String {
    /// Whether the host is an IP address, which cannot be used for server name indication.
    fileprivate var isAddress: Bool {
        (try? SocketAddress(ipAddress: self, port: 0)) != nil
    }
}
