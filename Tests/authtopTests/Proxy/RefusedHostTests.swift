import Foundation
import TestSupport
import Testing

@Suite("authtop proxy: requests for another server", .programs)
struct RefusedHostTests {
    @Test("are in the lines, with what would let them in; a scan adds few, the last has all of it")
    func lines() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let proxy = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)", "--port", "0", "--json",
            ])
            let first = try await eventually("the proxy's address") { proxy.errors.lines.first }
            let address = try #require(first.firstMatch(of: /http:[0-9.\/:]+/)).output
            let script = """
                curl -s -H 'Host: shop.test' \(address)/
                for n in $(seq 200); do curl -s -H "Host: h$n.test" \(address)/; done
                """
            try await Program.shell(script)
            proxy.send(SIGINT)
            _ = try await proxy.ended()
            let lines = proxy.output.lines.filter { $0.contains("\"kind\":\"misdirected\"") }
            let told = try #require(lines.first, "\(proxy.errors.text)")
            #expect(told.contains("\"host\":\"shop.test\""))
            #expect(told.contains("\"option\":\"--allow-host=shop.test\""))
            #expect(told.contains("\"count\":1"))
            #expect(lines.count < 60, "\(lines.count)")
            #expect(lines.last?.contains("\"count\":201") == true, "\(lines.last ?? "")")
        }
    }

    @Test("are in the report of --exec, in place of a guess why no request came")
    func report() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)", "--port", "0", "--exec",
                "curl -s -H 'Host: shop.test' $AUTHTOP_PROXY_URL/",
            ])
            _ = try await program.ended()
            let text = program.errors.text
            #expect(text.contains("start authtop with --allow-host=shop.test to let it in"))
            #expect(!text.contains("no request came"), "\(text)")
        }
    }
}
