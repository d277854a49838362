import Basics
import Client
import Model
import Platform
import Profiles
import Testing

@Suite("Token transport: connections", .timeLimit(.minutes(20)))
struct ConnectionTests {
    @Test("a server that closes between requests fails no token request")
    func closedBetween() async throws {
        try await exchange([.readRequest, .send(.okAnswer)]) { transport, server in
            for _ in 1...20 {
                let report = await transport.send(.refresh)
                #expect(report.answer?.status == 200)
                #expect(report.timing.connect != nil)
            }
            #expect(server.connections == 20)
        }
    }

    @Test("a token request takes no connection that is open already, and leaves none open")
    func ownConnection() async throws {
        try await exchange([.readRequest, .send(.okAnswer), .hold]) { transport, server in
            #expect(await transport.send(.protected, .shared).answer != nil)
            #expect(await transport.send(.refresh, .own).answer != nil)
            #expect(await transport.send(.refresh, .own).answer != nil)
            #expect(server.connections == 3)
        }
    }

    @Test("shared requests share a connection, and have no time to connect but for the first")
    func shared() async throws {
        let once: [ScriptedServer.Step] = [.readRequest, .send(.okAnswer)]
        let many = Array(repeating: once, count: 20).flatMap { $0 }
        try await exchange(many + [.hold]) { transport, server in
            let first = await transport.send(.protected, .shared)
            #expect(first.timing.connect != nil)
            // On a busy machine the connection may be idle for too long before its second use.
            var later = first
            for _ in 1...10 where later.timing.connect != nil {
                later = await transport.send(.protected, .shared)
            }
            #expect(later.answer != nil)
            #expect(later.timing.connect == nil)
            #expect(later.timing.firstByte != nil)
            #expect(later.timing.body != nil)
            #expect(server.connections < server.requests.count)
        }
    }

    @Test("the parts of the time are no more than the whole")
    func timing() async throws {
        try await exchange([.readRequest, .send(.okAnswer)]) { transport, _ in
            let report = await transport.send(.refresh)
            let parts = [report.timing.connect, report.timing.firstByte, report.timing.body]
            let sum = parts.reduce(0) { $0 + ($1 ?? .infinity) }
            let whole = report.endedAt.now.seconds(since: report.sentAt.now)
            #expect(abs(sum - whole) < 0.000_001)
            #expect(parts.allSatisfy { ($0 ?? -1) >= 0 })
        }
    }

    @Test("requests at the same time do not disturb each other")
    func concurrent() async throws {
        try await exchange([.readRequest, .send(.okAnswer)]) { transport, server in
            let answers = await withTaskGroup(of: Int?.self) { group in
                for _ in 1...32 { group.addTask { await transport.send(.refresh).answer?.status } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers == Array(repeating: 200, count: 32))
            #expect(server.requests.count == 32)
        }
    }
}
