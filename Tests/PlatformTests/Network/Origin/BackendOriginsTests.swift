import Basics
import Client
import HTTP
import Model
import Platform
import Testing

@testable import Profiles

@Suite("Network: several hosts of one backend", .timeLimit(.minutes(20)))
struct BackendOriginsTests {
    private func origin(_ port: Int, path: String = "") throws -> BackendOrigin {
        try BackendOrigin(parsing: "http://127.0.0.1:\(port)\(path)")
    }

    private func request(at origin: String?) -> WireRequest {
        WireRequest(method: "GET", origin: origin, target: "/x")
    }

    @Test("a request goes to the host that it names, without the base URL's path")
    func named() async throws {
        try await ScriptedServer.run([[.readRequest, .send(.okAnswer)]]) { base in
            try await ScriptedServer.run([[.readRequest, .send(.okAnswer)]]) { other in
                try await withTestNetwork { network in
                    let name = "http://127.0.0.1:\(other.port)"
                    let transport = network.tokenTransport(
                        to: BackendOrigins(
                            try origin(base.port, path: "/v1"),
                            named: [name: try origin(other.port)]
                        )
                    )
                    #expect(await transport.send(request(at: nil)).answer?.status == 200)
                    #expect(await transport.send(request(at: name)).answer?.status == 200)
                }
                #expect(base.requests.map { $0.prefix(9) } == ["GET /v1/x"])
                #expect(other.requests.map { $0.prefix(6) } == ["GET /x"])
                #expect(other.requests[0].contains("127.0.0.1:\(other.port)"))
            }
        }
    }

    @Test("a host that the profile does not name gets no request and no socket")
    func stranger() async throws {
        try await ScriptedServer.run([[.readRequest, .send(.okAnswer)]]) { stranger in
            try await withTestNetwork { network in
                let origins = BackendOrigins(try origin(9))
                let name = "http://127.0.0.1:\(stranger.port)"
                let report = await network.tokenTransport(to: origins).send(request(at: name))
                #expect(report.notSent == "not sent: the profile does not name its host")
                let dial = FeedRequest(origin: name, target: "/ws", shownTarget: "/ws")
                let outcome = try await network.feedTransport(to: origins)
                    .dial(dial, deadline: liveTime.now + .seconds(30))
                guard case .failed(let detail) = outcome else {
                    Issue.record("the feed was dialed")
                    return
                }
                #expect(detail == "not sent: the profile does not name its host")
            }
            #expect(stranger.connections == 0)
        }
    }

    @Test("what is unreachable is named by its own host; the probe asks the host that renews")
    func unreachable() async throws {
        try await ScriptedServer.run([[.readRequest, .send(.okAnswer)]]) { base in
            try await withTestNetwork { network in
                let name = "http://127.0.0.1:9"
                let transport = network.tokenTransport(
                    to: BackendOrigins(
                        try origin(base.port),
                        named: [name: try origin(9)],
                        renewal: name
                    )
                )
                let report = await transport.send(request(at: name))
                #expect(report.notSent == "connection refused by 127.0.0.1:9")
                #expect(await transport.probe(deadline: liveTime.now + .seconds(30)) == false)
                #expect(base.connections == 0)
            }
        }
    }
}
