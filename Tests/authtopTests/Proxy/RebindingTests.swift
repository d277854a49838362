import Foundation
import Glibc
import TestSupport
import Testing

/// A page of another server whose name comes to resolve to this machine.
@Suite("A page that rebinds its name", .programs)
struct RebindingTests {
    @Test(
        "reaches neither the proxy nor its control port nor the sandbox in Chromium",
        .enabled("chromium-driver is not installed, or there is no IPv6") {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver")
                && FileManager.default.contents(atPath: "/proc/net/if_inet6")?.isEmpty == false
        },
        arguments: [
            // A page of this machine is served; the control port serves none.
            ("localhost", ["200 open", "403 refused", "200 refused"]),
            ("rebind.test", ["421 refused", "421 refused", "421 refused"]),
        ]
    )
    func page(name: String, expected: [String]) async throws {
        try await withBench { bench in
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            func script(_ file: String, _ arguments: String...) throws -> Program {
                bench.keep(
                    try Program(
                        "/usr/bin/env",
                        ["python3", "-B", folder.appendingPathComponent(file).path] + arguments,
                        environment: ["PATH": "/usr/bin:/bin"]
                    )
                )
            }
            let backend = try script("tabs.py", "serve")
            let backendPort = try await eventually("the backend's port") {
                backend.output.lines.first
            }
            let sandbox = try await bench.sandbox()
            let proxy = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(backendPort)", "--port", "0", "--control", "0",
                "--json",
            ])
            let ports = try await eventually("both ports", evidence: { proxy.errors.text }) {
                let found = proxy.errors.text.matches(of: /http:\/\/127\.0\.0\.1:([0-9]+)/)
                    .map { String($0.output.1) }
                    .filter { $0 != backendPort }
                return found.count == 2 ? found : nil
            }
            let isControlFirst = proxy.errors.lines.first?.contains("control port") == true
            let browser = try script(
                "rebind.py",
                name,
                isControlFirst ? ports[1] : ports[0],
                "/",
                isControlFirst ? ports[0] : ports[1],
                "/state",
                "\(sandbox.port)",
                "/__sandbox/state"
            )
            let ending = try await browser.ended(within: .seconds(180))
            #expect(ending == .exit(0), "\(browser.errors.text)")
            #expect(browser.output.lines == expected, "\(browser.errors.text)")
            proxy.send(SIGINT)
            _ = try await proxy.ended()
            let isSeen = proxy.output.lines.contains { $0.contains("\"kind\":\"request\"") }
            #expect(isSeen == (name == "localhost"), "\(proxy.output.text)")
        }
    }
}
