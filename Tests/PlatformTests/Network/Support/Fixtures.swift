import Basics
import Client
import Model
import Profiles

@testable import Platform

/// One for all, since instants of two timekeepers cannot be compared.
let liveTime = LiveTimekeeper()

/// The network for one test.
func withTestNetwork<Value>(
    timekeeper: any Timekeeper = liveTime,
    trust: TrustRoots = .system,
    proxies: ProxySettings = .none,
    connectTimeout: Duration = .seconds(10),
    _ body: (NetworkContext) async throws -> Value
) async throws -> Value {
    let configuration = NetworkConfiguration(
        timekeeper: timekeeper,
        trust: trust,
        proxies: proxies,
        random: {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        },
        connectTimeout: connectTimeout
    )
    return try await withNetwork(configuration, body)
}

/// A server with these scripts, and a transport to it.
func exchange<Value: Sendable>(
    _ scripts: [ScriptedServer.Step]...,
    timekeeper: any Timekeeper = liveTime,
    prefix: String = "",
    _ body: @Sendable (HTTPTokenTransport, ScriptedServer) async throws -> Value
) async throws -> Value {
    try await ScriptedServer.run(scripts) { server in
        try await withTestNetwork(timekeeper: timekeeper) { network in
            let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)\(prefix)")
            return try await body(network.tokenTransport(to: origin), server)
        }
    }
}

extension HTTPTokenTransport {
    /// Sends with a deadline that no test is meant to reach.
    func send(
        _ request: WireRequest,
        _ connection: ConnectionUse = .own,
        within limit: Duration = .seconds(30),
        by timekeeper: any Timekeeper = liveTime
    ) async -> TransportReport {
        await send(request, connection: connection, deadline: timekeeper.now + limit)
    }
}

extension TransportReport {
    var answer: WireResponse? {
        if case .answered(let answer) = outcome { return answer }
        return nil
    }

    var notSent: String? {
        if case .notSent(.unreachable(let message)) = outcome { return message }
        return nil
    }

    var unanswered: String? {
        if case .unanswered(let message) = outcome { return message }
        return nil
    }
}

extension WireRequest {
    static let refresh = WireRequest(
        method: "POST",
        target: "/auth/refresh",
        headers: [WireHeader("Content-Type", "application/json")],
        body: Array(#"{"refresh_token":"r3fr3sh-s3cr3t"}"#.utf8)
    )

    static let protected = WireRequest(
        method: "GET",
        target: "/items",
        headers: [WireHeader("Authorization", "Bearer acc3ss-s3cr3t")]
    )
}

extension String {
    static let okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
}
