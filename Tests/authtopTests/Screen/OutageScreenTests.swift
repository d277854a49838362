import Testing

@Suite("The screen: an outage", .programs)
struct OutageScreenTests {
    @Test("says that the session is kept, and when it is tried again; recovers by itself")
    func outage() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "8s")
            let relay = try bench.relay(to: sandbox)
            let terminal = try await bench.watchOnScreen(.voltyks, at: relay.port)
            try await terminal.see("● open")
            try await relay.refuse()
            try await terminal.see("◇ offline")
            try await terminal.see("session kept")
            try await relay.accept()
            try await terminal.see("● fresh")
            try await terminal.see("● open")
            try await terminal.see("no session ended")
        }
    }
}
