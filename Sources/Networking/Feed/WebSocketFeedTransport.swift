package import Dialects
package import Sessions
package import Timekeeping
import WebSockets

/// Opens the feed of one origin, with `wss` if the origin uses TLS.
package struct WebSocketFeedTransport: FeedTransport {
    /// The time by which our deadline exceeds the dialer's, which keeps a partly read response.
    ///
    /// The dialer's comes first while the machine is awake; ours also counts while it is suspended.
    private static let grace = Duration.seconds(2)

    private let origin: BackendOrigin
    private let dialer: WebSocketDialer
    private let certificates: CertificateProbe
    private let gate: NetworkGate
    private let configuration: NetworkConfiguration

    init(
        origin: BackendOrigin,
        dialer: WebSocketDialer,
        certificates: CertificateProbe,
        gate: NetworkGate,
        configuration: NetworkConfiguration
    ) {
        self.origin = origin
        self.dialer = dialer
        self.certificates = certificates
        self.gate = gate
        self.configuration = configuration
    }

    package func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome {
        let limit = deadline - configuration.timekeeper.now
        guard limit > .zero else { return failed(.deadline(.zero)) }
        guard RequestSyntax.isTarget(request.target) else {
            return failed(.unfit("its path has to begin with a slash, and to be percent-encoded"))
        }
        let credentials = request.headers.count { $0.name.lowercased() == "authorization" }
        guard credentials <= 1 else {
            return failed(.unfit("it has more than one Authorization header"))
        }
        return await gate.run(ifClosed: failed(.shutDown)) {
            await dial(request, limit, deadline)
        }
    }

    private func dial(
        _ request: FeedRequest,
        _ limit: Duration,
        _ deadline: Instant
    ) async -> FeedDialOutcome {
        await withTaskGroup(of: FeedDialOutcome?.self) { group in
            group.addTask { await open(request, limit, deadline) }
            group.addTask {
                try? await configuration.timekeeper.sleep(until: deadline + Self.grace)
                return nil
            }
            defer { group.cancelAll() }
            var isLate = false
            while let ended = await group.next() {
                if let outcome = ended {
                    guard isLate, case .failed = outcome else { return outcome }
                    return failed(.deadline(limit))
                }
                isLate = !Task.isCancelled
                group.cancelAll()
            }
            return failed(.cancelled)
        }
    }

    private func open(
        _ request: FeedRequest,
        _ limit: Duration,
        _ deadline: Instant
    ) async -> FeedDialOutcome {
        // The remaining time, since a busy machine may have started this task late.
        let rest = deadline - configuration.timekeeper.now
        let timeout = min(max(rest, .milliseconds(1)), .seconds(3600))
        do throws(WebSocketDialError) {
            switch try await dialer.dial(upgrade(for: request), timeout: timeout)
            {
            case .refused(let status, let headers, _):
                let answer = WireResponse(
                    status: status,
                    headers: headers.map { WireHeader($0.0, $0.1) }
                )
                return .refused(status: status, retryAfter: answer.retryAfter)
            case .open(let connection, _):
                return await greet(connection, request.firstMessage)
            }
        } catch {
            let fault = NetworkFault(error, limit: limit)
            return failed(await certificates.explain(fault, at: origin))
        }
    }

    /// Sends the first message.
    ///
    /// A socket that closes before it is sent still counts as open: its close code says why it
    /// closed.
    private func greet(
        _ connection: WebSocketConnection,
        _ message: String?
    ) async -> FeedDialOutcome {
        if let message, !Task.isCancelled { try? await connection.send(text: message) }
        guard !Task.isCancelled else {
            connection.drop()
            return failed(.cancelled)
        }
        return .opened(WebSocketFeedConnection(connection, gate: gate))
    }

    private func upgrade(for request: FeedRequest) -> WebSocketRequest {
        var headers = request.headers.map { ($0.name, $0.value) }
        func add(_ name: String, _ value: String) {
            guard !headers.contains(where: { $0.0.lowercased() == name.lowercased() }) else {
                return
            }
            headers.append((name, value))
        }
        add("Host", origin.authority)
        add("User-Agent", configuration.userAgent)
        return WebSocketRequest(
            scheme: origin.isSecure ? .wss : .ws,
            host: origin.connectHost,
            port: origin.port,
            path: origin.pathPrefix + request.target,
            headers: headers,
            subprotocols: request.subprotocols
        )
    }

    private func failed(_ fault: NetworkFault) -> FeedDialOutcome {
        .failed(detail: fault.message(at: origin, stage: .waiting))
    }
}
