import Model
import Testing

@testable import Observer

@Suite("Clients of an app: processes")
struct ClientRegistryTests {
    private static func sender(
        _ process: Int?,
        agent: String = "app/1",
        origin: String? = nil
    ) -> ObservedClient {
        ObservedClient(
            peer: "127.0.0.1",
            userAgent: agent,
            origin: origin,
            process: process.map { ClientProcess(name: "app", id: $0) }
        )
    }

    @Test("two processes of one program are two clients")
    func two() {
        var registry = ClientRegistry()
        let first = registry.client(of: Self.sender(1), among: [])
        let second = registry.client(of: Self.sender(2), among: [first])
        #expect(first != second)
        #expect(registry.client(of: Self.sender(1), among: []) == first)
        #expect(registry.client(of: Self.sender(2), among: [first]) == second)
    }

    @Test("a request whose process was not found is no other client's")
    func unknown() {
        var registry = ClientRegistry()
        let first = registry.client(of: Self.sender(nil), among: [])
        #expect(registry.client(of: Self.sender(1), among: []) == first)
        #expect(registry.client(of: Self.sender(nil), among: []) == first)
        let second = registry.client(of: Self.sender(2), among: [])
        #expect(second != first)
        #expect(registry.client(of: Self.sender(nil), among: [first]) == first)
    }

    @Test("pages of one process are told apart by their origins")
    func pages() {
        var registry = ClientRegistry()
        let first = registry.client(of: Self.sender(1, origin: "https://a.test"), among: [])
        let second = registry.client(of: Self.sender(1, origin: "https://b.test"), among: [])
        #expect(first != second)
        #expect(
            registry.client(of: Self.sender(1, origin: "https://a.test"), among: []) == first
        )
    }
}
