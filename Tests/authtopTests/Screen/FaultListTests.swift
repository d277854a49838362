import TestSupport
import Testing

@Suite("The screen: the list of faults", .programs)
struct FaultListTests {
    @Test("X turns a fault of a sandbox on and off, and shows what the sandbox says")
    func switching() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● fresh")
            try await terminal.press("X")
            try await terminal.see("Faults of the sandbox", "none is on", "drop-after-commit")
            try await terminal.type("/server-error")
            try await terminal.press("Enter")
            try await terminal.seeNo("drop-after-commit")
            try await terminal.press("Space")
            try await terminal.see("1 fault on") { screen in
                screen.contains { $0.contains("▸ server-error") && $0.contains(" on ") }
            }
            // Another client changes it behind the screen's back.
            try await sandbox.switchAllOff()
            try await terminal.see("the change of another client") { screen in
                screen.contains { $0.contains("▸ server-error") && $0.contains(" off ") }
            }
            try await terminal.press("Enter")
            try await terminal.see("one time") { screen in
                screen.contains { $0.contains("▸ server-error") && $0.contains(" once ") }
            }
            try await terminal.press("a")
            try await terminal.see("all off") { screen in
                screen.contains { $0.contains("▸ server-error") && $0.contains(" off ") }
            }
            try await terminal.press("Escape")
            try await terminal.seeNo("Faults of the sandbox")
            try await terminal.press("6", "z")
            try await terminal.see("on, by you: server-error", "off, seen at the sandbox")
        }
    }

    @Test("the header and the lines of JSON name the faults of a sandbox of its own process")
    func header() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s", "--faults", "skewed-date")
            let terminal = try await bench.watchOnScreen(.bitbasel, at: sandbox.port)
            try await terminal.see("● fresh", "· faults: skewed-date")
            try await sandbox.switchAllOff()
            try await terminal.seeNo("faults: ")
            try await terminal.see("all faults of the sandbox are off, seen at the sandbox")
        }
    }

    @Test("a server that claims to be a sandbox is believed about known faults, and no more")
    func claim() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "120s")
            let relay = try bench.relay(to: sandbox)
            let token = "6f1e2c9a-8b7d-4c3e-9f0a-1b2c3d4e5f60"
            let body = """
                {"faults": [
                    {"name": "\(token)", "state": "on", "setting": "\(token)", "fired": 1},
                    {"name": "drop-request", "state": "\(token)", "setting": "\(token)"},
                    {"name": "delay", "state": "on", "setting": "delay:seconds=3",
                     "summary": "\(token)", "parameter": "\(token)", "kinds": ["\(token)"]},
                    {"name": "delay", "state": "on", "setting": "delay:p=0.5"}
                ]}
                """
            let answer =
                "HTTP/1.1 200 OK\r\nServer: authtop\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            for _ in 0..<100 { relay.prepare(.answered(answer), for: "/__sandbox/faults") }
            let terminal = try await bench.watchOnScreen(.bitbasel, at: relay.port)
            try await terminal.see("● fresh", "http://127.0.0.1:\(relay.port)", "delay:seconds=3")
            try await terminal.press("X")
            try await terminal.see("1 fault on", "▸ delay")
            try await terminal.press("Escape", "6", "z")
            let screen = try await terminal.see("fault on, seen at the sandbox: delay:seconds=3")
            #expect(screen.allSatisfy { !$0.contains("6f1e2c9a") })
        }
    }

    @Test("the built-in backend of a demo has the same list, and what fires is counted")
    func demo() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --every 500ms --access-ttl 10m")
            try await terminal.see("● fresh", " 200 ")
            try await terminal.press("X")
            try await terminal.see("none is on")
            try await terminal.type("/500, 502")
            try await terminal.press("Enter")
            try await terminal.see("▸ server-error")
            try await terminal.press("Enter")
            try await terminal.see("that it fired once, and is off again") { screen in
                screen.contains {
                    $0.contains("▸ server-error") && $0.contains(" off ") && $0.contains("1×")
                }
            }
        }
    }

    @Test("--readonly refuses keys that act, and renewal goes on")
    func readOnly() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --readonly --access-ttl 10s --every 500ms")
            try await terminal.see("● fresh", "read-only")
            for key in ["X", "l", "r", "Space"] {
                try await terminal.press(key)
                try await terminal.see("--readonly: keys only watch")
                try await terminal.press("j")
            }
            try await terminal.seeGeneration(atLeast: 2)
        }
    }
}
