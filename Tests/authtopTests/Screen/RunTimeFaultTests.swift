import TestSupport
import Testing

@Suite("The screen: faults that are switched at run time", .programs)
struct RunTimeFaultTests {
    @Test("the header names the faults that are on now, wherever they were switched")
    func header() async throws {
        try await withBench { bench in
            let terminal = try await bench.terminal()
            try await terminal.enter("authtop demo --faults delay:seconds=0.1 --every 1h")
            let screen = try await terminal.see("faults: delay:seconds=0.1", "● fresh")
            let port = screen.lazy.compactMap { $0.firstMatch(of: /127\.0\.0\.1:(\d+)/) }.first
                .flatMap { Int($0.output.1) }
            let target = "/__sandbox/faults"
            func order(_ body: String) async throws {
                let request = HandMadeRequest(method: "POST", target: target, body: body)
                #expect(try await request.send(to: try #require(port)).status == 200)
            }
            try await order(#"{"on": "server-error:p=0.25"}"#)
            try await terminal.see("faults: delay:seconds=0.1, server-error:p=0.25")
            try await order(#"{"off": "all"}"#)
            try await terminal.seeNo("faults:")
        }
    }
}
