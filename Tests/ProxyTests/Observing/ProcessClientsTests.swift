import Model
import Platform
import Testing

@testable import Proxy

@Suite("Proxy: the clients that processes are")
struct ProcessClientsTests {
    @Test("processes that run at the same time are two, and one after another is its successor")
    func successor() {
        var clients = ProcessClients()
        var running: Set<Int> = [1, 2]
        func client(_ id: Int, _ name: String = "curl") -> ClientProcess {
            clients.client(of: FoundProcess(id: id, startedAt: 0, name: name)) {
                running.contains($0.id)
            }
        }
        let (first, second) = (client(1), client(2))
        #expect(first != second && client(1) == first && client(2) == second)
        running = [2, 3]
        #expect(client(3) == first)
        #expect(client(2) == second && client(3) == first)
        running = [4]
        #expect(client(4, "node") == ClientProcess(name: "node", id: 4))
    }
}
