import Basics
import Client
import Model
import Profiles
import Testing

@testable import Platform

@Suite("A request whose answer the client does not read")
struct UnreadTests {
    @Test("is written whole, and its connection is closed before the answer")
    func isWritten() async throws {
        try await exchange([.readRequest, .hold]) { transport, server in
            let report = await transport.sendUnread(
                .refresh,
                deadline: liveTime.now + .seconds(30)
            )
            #expect(report.unanswered != nil, "\(report.outcome)")
            await server.waitForRequests(1)
            #expect(server.requests.first?.contains("r3fr3sh-s3cr3t") == true)
        }
    }

    @Test("without a body is written as well")
    func isWrittenWithoutBody() async throws {
        try await exchange([.readRequest, .hold]) { transport, server in
            let report = await transport.sendUnread(
                WireRequest(method: "POST", target: "/refresh"),
                deadline: liveTime.now + .seconds(30)
            )
            #expect(report.unanswered != nil, "\(report.outcome)")
            await server.waitForRequests(1)
        }
    }

    @Test("is not sent where nothing listens")
    func notSent() async throws {
        try await withTestNetwork { network in
            let origin = try BackendOrigin(parsing: "http://127.0.0.1:1")
            let report = await network.tokenTransport(to: origin).sendUnread(
                .refresh,
                deadline: liveTime.now + .seconds(30)
            )
            #expect(report.notSent != nil, "\(report.outcome)")
        }
    }
}
