import Foundation
import Glibc
import TestSupport
import Testing

/// Where `authtop proxy` listens, and what it says if nothing answers behind it.
@Suite("The addresses of authtop proxy", .programs)
struct ProxyAddressTests {
    @Test(
        "an address that other machines reach needs a word of consent",
        arguments: [
            ("0.0.0.0", "add --allow-remote"), ("192.168.1.5", "add --allow-remote"),
            ("example.com", "expected an address"),
        ]
    )
    func refused(host: String, message: String) async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:9", "--port", "0", "--host", host, "--exec",
                "true",
            ])
            #expect(try await program.ended() == .exit(2))
            #expect(program.errors.text.contains("--host \(host): "), "\(program.errors.text)")
            #expect(program.errors.text.contains(message), "\(program.errors.text)")
        }
    }

    @Test("with it, the proxy is at all addresses, and says what that means")
    func remote() async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let proxy = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0",
                "--host", "0.0.0.0", "--allow-remote", "--json",
            ])
            let line = try await eventually("the proxy's address") { proxy.errors.lines.first }
            let port = try #require(
                line.firstMatch(of: /http:\/\/[0-9.]+:([0-9]+) stands/)?.output.1
            )
            // Another address of the machine than the usual one.
            let curl = try Program(
                "/usr/bin/curl",
                ["-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.2:\(port)/x"]
            )
            #expect(try await curl.ended() == .exit(0))
            #expect(curl.output.text == "404")
            let isRemote = !line.contains("127.0.0.1:\(port)")
            let isWarned = proxy.errors.text.contains("tokens cross the network as they are")
            #expect(isRemote == isWarned, "\(proxy.errors.text)")
            proxy.send(SIGINT)
            _ = try await proxy.ended()
        }
    }

    @Test("a run in which no request reached its backend ends with 3")
    func unreachable() async throws {
        try await withBench { bench in
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:1", "--port", "0", "--exec",
                "curl -s -o /dev/null $AUTHTOP_PROXY_URL/",
            ])
            #expect(try await program.ended() == .exit(3), "\(program.errors.text)")
            #expect(program.errors.text.contains("no request reached http://127.0.0.1:1"))
            let none = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:1", "--port", "0", "--exec", "true",
            ])
            #expect(try await none.ended() == .exit(4), "\(none.errors.text)")
        }
    }
}
