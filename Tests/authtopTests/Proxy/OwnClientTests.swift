import Foundation
import TestSupport
import Testing

private let proxySeconds = ProcessInfo.processInfo.environment["AUTHTOP_PROXY_SECONDS"]
    .flatMap { Int($0) }

/// authtop's own client through authtop's own proxy, in all dialects at the same time.
@Suite(
    "authtop watch behind authtop proxy",
    .enabled("AUTHTOP_PROXY_SECONDS is not set") { proxySeconds != nil }
)
struct OwnClientTests {
    /// One proxy with its client, and what is said of it.
    private struct Run {
        let name: String
        let proxy: Program
    }

    @Test(
        "has no finding but notes, in any dialect",
        arguments: ["none", "strict", "strict-revoke", "grace", "grace-forks", "old-lives"]
    )
    func quiet(reuse: String) async throws {
        let seconds = proxySeconds ?? 60
        try await withBench { bench in
            let sandbox = try await bench.sandbox("--access-ttl", "6s", "--reuse", reuse)
            var runs: [Run] = []
            for guide in Guide.allCases {
                let options = "--vault memory --json --every 1s --for \(seconds)s"
                let proxy = try bench.authtop(
                    [
                        "proxy", guide.rawValue, "--to",
                        "http://127.0.0.1:\(sandbox.port)/\(guide)", "--port", "0",
                        "--env", "API_URL", "--fail-on", "none", "--exec",
                        guide.assignments
                            + "'\(Authtop.path)' watch \(guide) --base-url \"$API_URL\" \(options) "
                            + "| grep -c '\"kind\":\"refreshSucceeded\"'",
                    ]
                )
                runs.append(Run(name: guide.rawValue, proxy: proxy))
            }
            for run in runs {
                let ending = try await run.proxy.ended(within: .seconds(seconds + 600))
                let errors = run.proxy.errors
                #expect(ending == .exit(0), "\(run.name): \(errors.text)")
                let renewals = run.proxy.output.lines.first.flatMap { Int($0) } ?? 0
                // Where nothing is rotated, the session of this one ends with its refresh token.
                let least = run.name == Guide.melchat.rawValue ? 1 : seconds / 20
                #expect(renewals >= least, "\(run.name): \(renewals) renewals")
                let blame = errors.lines.filter { $0.hasPrefix("bug ") || $0.hasPrefix("risk ") }
                #expect(blame.isEmpty, "\(run.name): \(errors.text)")
                let notes = errors.lines.filter { $0.hasPrefix("note ") }
                print("\(reuse) \(run.name): \(renewals) renewals; \(notes)")
            }
        }
    }
}
