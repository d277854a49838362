import Basics
import NIOCore
import NIOPosix
package import Platform
package import Profiles

/// Answers requests of programs on this machine about the run, on a port of its own.
///
/// Requests of pages in a browser are refused: it could be any page.
package actor ControlServer {
    package typealias Responder = @Sendable (WireRequest) async -> WireResponse

    private let respond: Responder
    private let name: String
    private let limit: Duration
    private let answersOtherUsers: Bool
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private var running: Task<Void, Never>?

    /// - Parameters:
    ///   - limit: The time that a connection may stay open.
    ///   - name: The name of the port in refusals.
    ///   - answersOtherUsers: Whether programs of other users of this machine get answers too.
    ///   - respond: Answers each request that is not refused.
    package init(
        within limit: Duration = .seconds(10),
        named name: String = "the control port",
        answersOtherUsers: Bool = true,
        respond: @escaping Responder
    ) {
        self.limit = limit
        self.name = name
        self.answersOtherUsers = answersOtherUsers
        self.respond = respond
    }

    /// Begins to listen; may be called once.
    ///
    /// - Parameters:
    ///   - address: Of this machine; requests to one that other machines reach may name any host.
    ///   - port: The port; 0 chooses a free one.
    /// - Returns: The port.
    /// - Throws: `ProxyError`; then the server is stopped.
    package func start(
        at address: NetworkAddress = .loopback,
        port: Int
    ) async throws(ProxyError) -> Int {
        do {
            let server = try await LoopbackServer(
                at: address.description,
                port: port,
                within: limit,
                on: group
            )
            let isRemote = !address.isLoopback
            // An answer is not to wait for thousands of sessions that renew at once.
            running = Task(priority: .high) { [respond, name, answersOtherUsers] in
                await server.run(answersOtherUsers: answersOtherUsers) { request in
                    let refusal = Self.refusal(of: request, by: name, isRemote: isRemote)
                    if let refusal { return (refusal, false) }
                    return (await respond(request), false)
                }
            }
            return server.port
        } catch {
            await stop()
            throw ProxyError(listening: error, at: address.description, port: port)
        }
    }

    package func stop() async {
        running?.cancel()
        await running?.value
        try? await group.shutdownGracefully()
    }

    /// Refuses what a page could have sent, or a name that may lead here by a trick.
    private static func refusal(
        of request: WireRequest,
        by name: String,
        isRemote: Bool
    ) -> WireResponse? {
        guard request.header("Origin") == nil, request.header("Sec-Fetch-Site") == nil else {
            return .refusal(403, "\(name) answers no pages in browsers")
        }
        guard !isRemote else { return nil }
        let hosts = request.headers.filter { $0.name.isEqualIgnoringCase("Host") }
        guard hosts.count == 1, RequestHost(hosts[0].value)?.isLoopback == true else {
            return .refusal(421, "\(name) answers at 127.0.0.1 and localhost only")
        }
        return nil
    }
}

extension WireResponse {
    /// An answer that says what was wrong with a request.
    package static func refusal(_ status: Int, _ message: String) -> WireResponse {
        .json(["error": .string(message)], status: status)
    }
}
