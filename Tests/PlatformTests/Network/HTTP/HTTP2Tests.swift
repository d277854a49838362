import Basics
import Client
import Model
import NIOHTTP2
import Platform
import Testing

@testable import Profiles

@Suite("Token transport: HTTP/2", .timeLimit(.minutes(20)))
struct HTTP2Tests {
    private func exchange<Value: Sendable>(
        _ steps: HTTP2Server.Step...,
        pins: [KeyPin] = [],
        _ body: (HTTPTokenTransport, HTTP2Server) async throws -> Value
    ) async throws -> Value {
        try await CertificateAuthority.with { authority in
            let trust = try TrustRoots(caFile: authority.caFile)
            return try await HTTP2Server.run(steps, tls: authority.http2) { server in
                try await withTestNetwork(trust: trust) { network in
                    let origins = BackendOrigins(
                        try BackendOrigin(parsing: "https://localhost:\(server.port)"),
                        security: TransportSecurity(pins: pins, clientCertificate: nil)
                    )
                    return try await body(network.tokenTransport(to: origins), server)
                }
            }
        }
    }

    @Test("is spoken with a server that selects it, and named in the status line")
    func spoken() async throws {
        try await exchange(.answer(status: 200)) { transport, server in
            let report = await transport.send(.refresh)
            let said = report.notSent ?? report.unanswered ?? ""
            #expect(report.answer?.statusLine == "HTTP/2 200", "\(said)")
            #expect(report.answer?.body == Array("{}".utf8))
            #expect(report.timing.connect != nil)
            #expect(server.requests == ["/auth/refresh"])
        }
    }

    @Test("shared requests are streams of one connection; a token request has its own")
    func connections() async throws {
        try await exchange(.answer(status: 200)) { transport, server in
            let first = await transport.send(.protected, .shared)
            #expect(first.timing.connect != nil)
            // On a busy machine the connection may be idle for too long before its second use.
            var later = first
            for _ in 1...10 where later.timing.connect != nil {
                later = await transport.send(.protected, .shared)
            }
            #expect(later.answer != nil)
            #expect(later.timing.connect == nil)
            let before = server.connections
            #expect(await transport.send(.refresh).timing.connect != nil)
            #expect(await transport.send(.refresh).timing.connect != nil)
            #expect(server.connections == before + 2)
        }
    }

    @Test("a connection that brought no answer in time is not used for later requests")
    func unanswered() async throws {
        // The second request on a connection of its own is the second that the server reads.
        try await exchange(.answerAfter(requests: 2)) { transport, server in
            // On a busy machine, the time may be over before there is a connection.
            var first: TransportReport?
            for _ in 1...10 where first?.unanswered == nil {
                first = await transport.send(.protected, .shared, within: .seconds(2))
            }
            #expect(first?.unanswered != nil)
            let before = server.connections
            let next = await transport.send(.protected, .shared)
            #expect(next.answer?.status == 200)
            #expect(next.timing.connect != nil)
            #expect(server.connections == before + 1)
        }
    }

    @Test("a token request does not wait for another's answer")
    func concurrent() async throws {
        try await exchange(.answerAfter(requests: 2)) { transport, server in
            async let one = transport.send(.refresh)
            async let other = transport.send(.refresh)
            #expect(await one.answer?.status == 200)
            #expect(await other.answer?.status == 200)
            #expect(server.connections == 2)
        }
    }

    @Test("a refused stream was not processed, and is sent once more")
    func refusals() async throws {
        let refused = HTTP2Server.Step.reset(.refusedStream)
        try await exchange(refused, .answer(status: 200), refused) { transport, server in
            for use in [ConnectionUse.own, .shared] {
                let report = await transport.send(.refresh, use)
                let said = report.notSent ?? report.unanswered ?? ""
                guard use == .shared else {
                    #expect(report.answer?.status == 200, "\(said)")
                    continue
                }
                #expect(
                    said
                        == "localhost:\(server.port) refused the stream of HTTP/2 (REFUSED_STREAM)"
                )
            }
            #expect(server.requests.count == 4)
        }
    }

    @Test("any other end of a stream leaves the answer unknown, and nothing is sent again")
    func resets() async throws {
        try await exchange(.reset(.internalError)) { transport, server in
            let peer = "localhost:\(server.port)"
            let ended = await transport.send(.refresh)
            #expect(server.requests.count == 1)
            #expect(
                ended.unanswered
                    == "stream of HTTP/2 ended by \(peer) before an answer came: INTERNAL_ERROR"
            )
        }
    }

    @Test("an invalid status is a fault of the response")
    func invalidStatus() async throws {
        try await exchange(.answer(status: 42)) { transport, server in
            let report = await transport.send(.refresh)
            let said =
                "localhost:\(server.port) violates HTTP/2: "
                + ":status is not three digits from 100 to 599"
            #expect(report.unanswered == said, "\(report.notSent ?? "answered")")
        }
    }

    @Test("nothing is sent to a server whose key is not pinned, and its connection is closed")
    func pins() async throws {
        let other = try #require(KeyPin("sha256/" + String(repeating: "A", count: 43) + "="))
        try await exchange(.answer(status: 200), pins: [other]) { transport, server in
            let said = try #require(await transport.send(.refresh).notSent)
            #expect(said.contains("is not pinned"))
            #expect(server.requests.isEmpty)
            let end = liveTime.now + .seconds(20)
            while server.ended < server.connections, liveTime.now < end { await Task.yield() }
            #expect(server.ended == server.connections)
        }
    }
}
