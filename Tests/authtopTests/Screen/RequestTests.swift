import Foundation
import Testing

@Suite("The screen: a user's own request", .programs)
struct RequestTests {
    @Test("P sends what is written with the token; a 401 renews; the next run knows its path alone")
    func sends() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "10m")
            let relay = try bench.relay(to: sandbox)
            relay.prepare(.answered(Answers.unauthorized), for: "/posts")
            var terminal = try await bench.watchOnScreen(
                .bitbasel,
                at: relay.port,
                "--vault",
                "file"
            )
            try await terminal.see("● fresh")
            try await terminal.press("P")
            try await terminal.see("Send a request")
            try await terminal.type("posts?secret=qj77")
            try await terminal.press("BTab", "C-u")
            try await terminal.type("post")
            try await terminal.press("Tab", "Tab")
            try await terminal.type("{\"title\": \"zzbody\"}")
            try await terminal.press("Enter")
            try await terminal.see("two requests, the second by the next generation") { screen in
                screen.contains { $0.contains("POST /posts") && $0.contains(" gen 2 ") }
                    && screen.contains { $0.contains("POST /posts") && $0.contains("401") }
            }
            try await terminal.see("asked by you")
            let sent = relay.requests(to: "/posts")
            #expect(sent.count == 2 && sent.allSatisfy { $0.body == "{\"title\": \"zzbody\"}" })
            try await terminal.press("q")
            try await terminal.seePrompt(after: 0)
            for file in try bench.files where !file.hasSuffix("/tmux") {
                let data = FileManager.default.contents(atPath: file) ?? Data()
                let text = String(decoding: data, as: UTF8.self)
                #expect(!text.contains("qj77") && !text.contains("zzbody"), "\(file)")
            }
            terminal = try await again(terminal, bench, relay.port)
            try await terminal.press("P")
            try await terminal.see("Send a request")
            try await terminal.press("Up")
            try await terminal.see("the path of the run before") { screen in
                screen.contains { $0.contains("path    /posts") && !$0.contains("?") }
                    && screen.contains { $0.contains("method  POST") }
            }
        }
    }

    private func again(_ terminal: Terminal, _ bench: Bench, _ port: Int) async throws -> Terminal {
        let base = "http://127.0.0.1:\(port)/bitbasel"
        try await terminal.enter("authtop watch bitbasel --base-url \(base)")
        try await terminal.see("● fresh")
        return terminal
    }
}
