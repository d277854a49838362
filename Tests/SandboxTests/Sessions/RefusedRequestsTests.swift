import Model
import Profiles
import Testing

@testable import Backend
@testable import Client
@testable import Sandbox

@Suite("Requests that the backend refuses")
struct RefusedRequestsTests {
    @Test(
        "ten at once with a 401 make one refresh on the wire, and all succeed",
        arguments: Dialect.builtIn().map(\.name)
    )
    func oneRefreshForTen(name: String) async throws {
        let dialect = try #require(Dialect.builtIn(named: name))
        let configuration = SandboxConfiguration(accessLifetime: 600, refreshLifetime: 6000)
        try await withSandbox(configuration) { sandbox in
            try await withStore(
                dialect,
                on: sandbox,
                spoiling: TokenSpoiler(requests: 10)
            ) { store, _ in
                let ends = await withTaskGroup(of: RequestEnd.self) { group in
                    for _ in 0..<10 { group.addTask { await store.sendRequest(why: .user) } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(ends == Array(repeating: .accepted(status: 200), count: 10))
                let counters = try await sandbox.state().backend.counters[name]
                #expect(counters?.refreshes == 1)
                #expect(counters?.logins == 1)
                #expect(counters?.protected == 10)
            }
        }
    }
}
