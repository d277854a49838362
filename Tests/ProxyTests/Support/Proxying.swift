import Basics
import Platform
import Profiles
import Synchronization
import TestSupport

@testable import Observer
@testable import Proxy

/// Runs a proxy before a server on this machine as long as `body` runs.
///
/// - Parameters:
///   - port: The server's.
///   - scheme: The server's.
///   - host: The name or address by which the proxy knows the server.
///   - configuration: The proxy's; the backend gets the `Host` as it was sent unless it is given. The
///     name `a` is allowed.
///   - seen: Gets what passes.
///   - injector: Decides on the faults of experiments.
///   - time: The clocks.
///   - body: Gets the proxy's port.
/// - Returns: The result of `body`.
/// - Throws: Any error that `body` throws.
@discardableResult
func withProxy<Value>(
    to port: Int,
    scheme: String = "http",
    host: String = "127.0.0.1",
    configuration: ProxyConfiguration? = nil,
    seen: any TrafficObserver = RecordedTraffic(),
    injector: any FaultInjector = NoFaults(),
    time: any Timekeeper = LiveTimekeeper(),
    _ body: (Int) async throws -> Value
) async throws -> Value {
    var transparent = ProxyConfiguration()
    transparent.keepsHost = true
    var chosen = configuration ?? transparent
    chosen.allowedHosts.append("a")
    let origin = try BackendOrigin(parsing: "\(scheme)://\(host):\(port)")
    let server = ProxyServer(
        [ProxiedOrigin(origin, port: 0)],
        configuration: chosen,
        timekeeper: time,
        observer: seen,
        injector: injector
    )
    let result: Result<Value, any Error>
    do {
        let bound = try await server.start()
        result = .success(try await body(bound[0].port))
    } catch {
        result = .failure(error)
    }
    await server.stop()
    return try result.get()
}

/// The traffic that a proxy saw, in words without the contents.
final class RecordedTraffic: TrafficObserver {
    private let inputs = Mutex<[TrafficInput]>([])

    func observe(_ input: TrafficInput, at moment: Moment) {
        inputs.withLock { $0.append(input) }
    }

    var all: [TrafficInput] { inputs.withLock { $0 } }

    var words: [String] { all.map { "\($0.exchange) \($0.kind.words)" } }

    /// Waits until there are this many, and returns their words.
    func words(_ count: Int) async throws -> [String] {
        try await eventually("\(count) inputs", evidence: { words.joined(separator: "\n") }) {
            words.count >= count ? words : nil
        }
    }
}

extension TrafficInput.Kind {
    fileprivate var words: String {
        switch self {
        case .requestHead(let head, _, _): "\(head.method) \(head.target)"
        case .requestBody(let bytes): "sends \(bytes.count)"
        case .requestEnd(let bytes): "sent \(bytes)"
        case .responseHead(let head, _): "\(head.status)"
        case .responseBody(let bytes): "answers \(bytes.count)"
        case .responseTrailers(let fields):
            "trailers " + fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
        case .responseEnd(let bytes): "answered \(bytes)"
        case .givenUp: "given up"
        case .delivered(let whole): whole ? "delivered" : "not delivered"
        case .failed(.notSent(let message)): "not sent: \(message)"
        case .failed(.unanswered(let message)): "unanswered: \(message)"
        case .failed(.abandoned): "abandoned"
        case .socketOpened: "socket"
        case .socketMessage(let message):
            "\(message.from) \(message.isText ? "text" : "binary") \(message.bytes) "
                + String(decoding: message.payload.prefix(40), as: UTF8.self)
        case .socketClosed(let end, _): "closed by \(end.by) \(end.code ?? 0)"
        case .injected(let experiment): "injected \(experiment)"
        case .misdirected(let host, let isURL, let isAllowable):
            "refused \(host)\(isURL ? " by URL" : "")\(isAllowable ? ", allowable" : "")"
        case .unreadable(let subject): "unreadable \(subject)"
        }
    }
}
