import Basics
import Client
import FeedTestSupport
import HTTP
import Model
import Profiles
import Testing

@testable import Platform

@Suite("Network: its lifetime", .timeLimit(.minutes(20)))
struct NetworkContextTests {
    private struct Failed: Error {}

    @Test("an error of the body comes through, after everything is shut down")
    func failing() async throws {
        try await ScriptedServer.run([[.readRequest, .send(.okAnswer), .hold]]) { server in
            let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)")
            await #expect(throws: Failed.self) {
                try await withTestNetwork { network in
                    _ = await network.tokenTransport(to: origin).send(.protected, .shared)
                    throw Failed()
                }
            }
        }
    }

    @Test("a request still in progress when the network ends is over too")
    func inProgress() async throws {
        try await ScriptedServer.run([[.readRequest, .hold]]) { server in
            let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)")
            let sending = try await withTestNetwork { network in
                let transport = network.tokenTransport(to: origin)
                let sending = Task { await transport.send(.refresh) }
                await server.waitForRequests(1)
                return sending
            }
            #expect(await sending.value.unanswered != nil)
        }
    }

    @Test("after the end a request is not sent")
    func afterTheEnd() async throws {
        let origin = try BackendOrigin(parsing: "http://127.0.0.1:9")
        let transport = try await withTestNetwork { $0.tokenTransport(to: origin) }
        #expect(await transport.send(.refresh).notSent == "the network is shut down")
    }

    @Test("an open feed does not hold up the end, and the server sees it go")
    func openFeed() async throws {
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        try await FeedServer.run { connection in
            for await _ in connection.events {}
            ended.yield()
        } _: { server in
            let origin = try BackendOrigin(parsing: "http://127.0.0.1:\(server.port)")
            try await withTestNetwork { network in
                let transport = try network.feedTransport(to: origin)
                let outcome = await transport.dial(.plain, deadline: liveTime.now + .seconds(30))
                #expect(outcome.connection != nil)
            }
            for await _ in ends { break }
        }
    }

    @Test("a connection that is still being made does not hold up the end")
    func connecting() async throws {
        let start = liveTime.now
        try await ScriptedServer.run([[.hold]]) { server in
            let origin = try BackendOrigin(parsing: "https://127.0.0.1:\(server.port)")
            let sending = try await withTestNetwork(connectTimeout: .seconds(400)) { network in
                let transport = network.tokenTransport(to: origin)
                let sending = Task { await transport.send(.refresh, within: .seconds(500)) }
                while server.connections == 0 { await Task.yield() }
                return sending
            }
            #expect(await sending.value.notSent != nil)
        }
        #expect(liveTime.now - start < .seconds(200))
    }
}
