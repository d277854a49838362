import Basics
import Client
import HTTP
import Model
import NIOHTTP1
import Profiles

/// Opens the feed of one backend, with `wss` if its origin uses TLS.
struct WebSocketFeedTransport: FeedTransport {
    /// The time by which our deadline exceeds the dialer's, which keeps a partly read response.
    ///
    /// The dialer's comes first while the machine is awake; ours also counts while it is suspended.
    private static let grace = Duration.seconds(2)
    /// The least time between two reads of a flood, a quarter of the time between two frames of the
    /// screen: each read wakes four threads.
    static let readInterval = Duration.milliseconds(4)

    let origins: BackendOrigins
    let dialer: WebSocketDialer
    let certificates: CertificateProbe
    let gate: NetworkGate
    let configuration: NetworkConfiguration

    func dial(_ request: FeedRequest, deadline: Instant) async -> FeedDialOutcome {
        do throws(NetworkFault) {
            let origin = try origins.origin(named: request.origin)
            do throws(NetworkFault) {
                let limit = deadline - configuration.timekeeper.now
                try check(request, limit)
                return try await gate.run(ifClosed: .failure(.shutDown)) {
                    await dial(request, to: origin, limit, deadline)
                }.get()
            } catch {
                return failed(error, at: origin)
            }
        } catch {
            return failed(error, at: origins.base)
        }
    }

    private func check(_ request: FeedRequest, _ limit: Duration) throws(NetworkFault) {
        guard limit > .zero else { throw .deadline(.zero) }
        guard RequestSyntax.isTarget(request.target) else {
            throw .unfit("its path has to begin with a slash, and to be percent-encoded")
        }
        let credentials = request.headers.count { $0.name.asciiLowercased == "authorization" }
        guard credentials <= 1 else {
            throw .unfit("it has more than one Authorization header")
        }
    }

    private typealias Dial = Result<FeedDialOutcome, NetworkFault>

    private func dial(
        _ request: FeedRequest,
        to origin: BackendOrigin,
        _ limit: Duration,
        _ deadline: Instant
    ) async -> Dial {
        await withTaskGroup(of: Dial?.self) { group in
            group.addTask { await open(request, at: origin, limit, deadline) }
            group.addTask {
                try? await configuration.timekeeper.sleep(until: deadline + Self.grace)
                return nil
            }
            defer { group.cancelAll() }
            var isLate = false
            while let ended = await group.next() {
                if let outcome = ended {
                    guard isLate, case .failure = outcome else { return outcome }
                    return .failure(.deadline(limit))
                }
                isLate = !Task.isCancelled
                group.cancelAll()
            }
            return .failure(.cancelled)
        }
    }

    private func open(
        _ request: FeedRequest,
        at origin: BackendOrigin,
        _ limit: Duration,
        _ deadline: Instant
    ) async -> Dial {
        // The remaining time, since a busy machine may have started this task late.
        let rest = deadline - configuration.timekeeper.now
        let timeout = min(max(rest, .milliseconds(1)), .seconds(3600))
        do throws(WebSocketDialError) {
            switch try await dialer.dial(upgrade(for: request, at: origin), timeout: timeout)
            {
            case .refused(let status, let headers, let body):
                let phrase = HTTPResponseStatus(statusCode: status).reasonPhrase
                return .success(
                    .refused(
                        WireResponse(
                            status: status,
                            statusLine: "HTTP/1.1 \(status) \(phrase)",
                            headers: headers.map { WireHeader($0.0, $0.1) },
                            body: body
                        )
                    )
                )
            case .open(let connection, _):
                guard !Task.isCancelled else {
                    connection.drop()
                    return .failure(.cancelled)
                }
                return .success(
                    .opened(
                        WebSocketFeedConnection(connection, gate: gate, secrets: request.secrets)
                    )
                )
            }
        } catch {
            let fault = NetworkFault(error, limit: limit)
            // The probe would bypass a proxy.
            guard proxy(for: origin) == nil else { return .failure(fault) }
            return .failure(await certificates.explain(fault, at: origin))
        }
    }

    private func upgrade(
        for request: FeedRequest,
        at origin: BackendOrigin
    ) -> WebSocketRequest {
        var headers = request.headers.map { ($0.name, $0.value) }
        func add(_ name: String, _ value: String) {
            guard !headers.contains(where: { $0.0.asciiLowercased == name.asciiLowercased }) else {
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
            subprotocols: request.subprotocols,
            compression: configuration.compressesFeed ? WebSocketCompression() : nil,
            proxy: proxy(for: origin)?.forWebSocket
        )
    }

    private func proxy(for origin: BackendOrigin) -> Proxy? {
        configuration.proxies.proxy(for: origin)
    }

    private func failed(_ fault: NetworkFault, at origin: BackendOrigin) -> FeedDialOutcome {
        let proxy = proxy(for: origin)
        return .failed(detail: fault.message(at: origin, through: proxy, stage: .waiting))
    }
}

extension Proxy {
    fileprivate var forWebSocket: WebSocketProxy {
        WebSocketProxy(
            host: host.bare,
            port: port,
            authorization: authorization?.basic
        )
    }
}
