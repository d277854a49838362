import Foundation
import TestSupport
import Testing

@Suite("authtop proxy --tls, in a browser", .programs)
struct SecureBrowserTests {
    @Test(
        "Chromium that trusts the authority opens the address and the names, and else none",
        .enabled("chromium-driver or libnss3-tools is not installed") {
            ["/usr/bin/chromedriver", "/usr/bin/certutil"].allSatisfy { path in
                FileManager.default.isExecutableFile(atPath: path)
            }
        },
        arguments: [("trusting", "404"), ("doubting", "ERR_CERT_AUTHORITY_INVALID")]
    )
    func trust(mode: String, result: String) async throws {
        try await withBench { bench in
            let sandbox = try await bench.sandbox()
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("trust.py").path
            let program = try bench.authtop([
                "proxy", "--to", "http://127.0.0.1:\(sandbox.port)/voltyks", "--port", "0", "--tls",
                "--env", "API_URL", "--exec", "python3 -B '\(script)' \(mode)", "--fail-on", "none",
            ])
            let ending = try await program.ended(within: .seconds(180))
            let hosts = ["127.0.0.1", "localhost", "authtop.localhost"]
            #expect(program.output.lines == hosts.map { "\($0) \(result)" })
            #expect(ending == .exit(0), "\(program.errors.text)")
        }
    }
}
