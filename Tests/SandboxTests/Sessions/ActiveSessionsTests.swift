import Client
import Model
import Profiles
import Testing

@testable import Backend
@testable import Sandbox

@Suite("The user's active sessions")
struct ActiveSessionsTests {
    private static let configuration = SandboxConfiguration(
        accessLifetime: 600,
        refreshLifetime: 6000
    )

    private static func list(_ store: SessionStore) async throws -> [ListedSession] {
        guard case .listed(let sessions, 200) = await store.sessions() else {
            throw Unexpected("no list")
        }
        return sessions
    }

    @Test("are listed, and another one can be ended")
    func ending() async throws {
        let dialect = try dialect("melchat")
        try await withSandbox(Self.configuration) { sandbox in
            let other = try await sandbox.login(dialect)
            try await withStore(dialect, on: sandbox) {
                store,
                _ in
                let before = try await Self.list(store)
                #expect(before.count == 2)
                let id = try #require(before.first { $0.isCurrent == false }?.id)
                #expect(await store.endSession(id) == .accepted(status: 204))
                #expect(try await Self.list(store).map(\.isCurrent) == [true])
                #expect(try await sandbox.opens(dialect, other.access) == .tokenRejected)
                #expect(await store.endSession(id) == .inconclusive(status: 404))
                #expect(await store.state == .fresh)
            }
        }
    }

    @Test("are asked for again with a newer token where the first is refused")
    func refused() async throws {
        let dialect = try dialect("melchat")
        try await withSandbox(Self.configuration) { sandbox in
            try await withStore(dialect, on: sandbox, spoiling: TokenSpoiler(requests: 1)) {
                store,
                _ in
                #expect(try await Self.list(store).count == 1)
                let counters = try await sandbox.state().backend.counters["melchat"]
                #expect(counters?.refreshes == 1)
            }
        }
    }

    @Test("of another user cannot be ended")
    func otherUser() async throws {
        let dialect = try dialect("melchat")
        try await withSandbox(Self.configuration) { sandbox in
            let own = try await sandbox.login(dialect)
            for id in ["", "0", "..", "a/b", "%2e%2e"] {
                guard let request = dialect.endSessionRequest(own.access, id: id) else { continue }
                let response = try await sandbox.send(request, under: "/melchat")
                #expect(response.status == 404)
            }
            #expect(try await sandbox.opens(dialect, own.access) == .accepted)
        }
    }

    @Test("are not ended where the dialect has no endpoint for it")
    func notEnded() async throws {
        let dialect = try dialect("voltyks")
        #expect(!dialect.endsSessions)
        try await withSandbox(Self.configuration) { sandbox in
            try await withStore(dialect, on: sandbox) {
                store,
                _ in
                guard case .notSent(let cause) = await store.endSession("1") else {
                    throw Unexpected("it was sent")
                }
                #expect(cause == .noEndpoint(dialect: "voltyks"))
            }
        }
    }

    @Test("are not asked for where the dialect has no list")
    func notOffered() async throws {
        let dialect = try dialect("creatist")
        try await withSandbox(Self.configuration) { sandbox in
            try await withStore(dialect, on: sandbox) {
                store,
                _ in
                guard case .notSent(let cause) = await store.sessions() else {
                    throw Unexpected("it was sent")
                }
                #expect(cause == .noEndpoint(dialect: "creatist"))
            }
        }
    }
}
