import Model
import NIOCore
import NIOPosix
import Platform
import Profiles
import Synchronization
import Testing

@testable import Client

@Suite("The redirects of a sign-in")
struct LoopbackRedirectsTests {
    /// The answer that a browser received.
    private static func get(_ target: String, at port: Int, in network: NetworkContext) async throws
        -> WireResponse?
    {
        let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(port)")
        return await network.tokenTransport(to: origin)
            .send(WireRequest(method: "GET", target: target)).answer
    }

    /// The targets that browsers have requested, in order.
    private final class Targets: Sendable {
        private let targets = Mutex<[String]>([])

        var all: [String] { targets.withLock { $0 } }

        func add(_ target: String) { targets.withLock { $0.append(target) } }
    }

    @Test("are answered until one is the last, beside a connection that says nothing")
    func answered() async throws {
        try await withTestNetwork { network in
            let seen = Targets()
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (ports, port) = AsyncStream.makeStream(of: Int.self)
                group.addTask {
                    try await network.redirects.receive(on: nil) { bound in
                        port.yield(bound)
                        port.finish()
                        return { target in
                            seen.add(target)
                            guard target.hasPrefix("/callback") else { return .notFound }
                            return RedirectPage(
                                .refused(error: "access_denied", description: "<b>no</b>")
                            )
                        }
                    }
                }
                for await bound in ports {
                    let silent = try await ClientBootstrap(
                        group: MultiThreadedEventLoopGroup.singleton
                    )
                    .connect(host: "127.0.0.1", port: bound).get()
                    let icon = try await Self.get("/favicon.ico", at: bound, in: network)
                    #expect(icon?.status == 404)
                    let page = try #require(
                        try await Self.get("/callback?error=x", at: bound, in: network)
                    )
                    #expect(page.status == 200)
                    let html = String(decoding: page.body, as: UTF8.self)
                    #expect(html.contains("&lt;b&gt;no&lt;/b&gt;"))
                    #expect(html.contains("You can close this window"))
                    #expect(page.header("Referrer-Policy") == "no-referrer")
                    #expect(page.header("Cache-Control") == "no-store")
                    try? await silent.close()
                }
                try await group.waitForAll()
            }
            #expect(seen.all == ["/favicon.ico", "/callback?error=x"])
        }
    }

    @Test("a port that is in use is named")
    func portInUse() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        try await withTestNetwork { network in
            _ = await #expect(
                throws: AuthorizationFailure.notListening(
                    detail: "port \(port): another program listens there"
                )
            ) {
                try await network.redirects.receive(on: port) { _ in { _ in .notFound } }
            }
        }
        try await server.close()
    }

    @Test("are no longer received after a cancellation")
    func cancelled() async throws {
        try await withTestNetwork { network in
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let task = Task {
                try await network.redirects.receive(on: nil) { bound in
                    port.yield(bound)
                    return { _ in .notFound }
                }
            }
            var iterator = ports.makeAsyncIterator()
            let bound = try #require(await iterator.next())
            task.cancel()
            _ = await task.result
            #expect(try await Self.get("/callback", at: bound, in: network) == nil)
        }
    }
}
