import Foundation
import Glibc
import TestSupport
import Testing

@Suite("The process", .programs)
struct ProcessGuardTests {
    @Test("leaves no core, whatever limit it was started with")
    func limit() async throws {
        try await withBench { bench in
            let program = bench.keep(
                try Program(
                    "/bin/sh",
                    ["-c", "ulimit -c unlimited; exec \"$0\" sandbox --port 0", Authtop.path],
                    environment: bench.environment
                )
            )
            try await eventually("the sandbox") { !program.output.lines.isEmpty }
            let limits = try String(contentsOfFile: "/proc/\(program.pid)/limits", encoding: .utf8)
            let line = try #require(
                limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
            )
            #expect(line.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
            program.send(SIGABRT)
            #expect(try await program.ended() == .signal(SIGABRT))
        }
    }

    @Test("ends by a signal that comes as soon as it is caught", arguments: 1...8)
    func earlySignal(pass: Int) async throws {
        try await withBench { bench in
            let program = try bench.authtop(["sandbox", "--port", "0"])
            let status = "/proc/\(program.pid)/status"
            // Caught or ignored, in whatever way the program learns of it.
            try await eventually("a handler", every: .milliseconds(1)) {
                let lines = try String(contentsOfFile: status, encoding: .utf8).split(
                    separator: "\n"
                )
                let masks = lines.filter { $0.hasPrefix("SigIgn:") || $0.hasPrefix("SigCgt:") }
                    .compactMap { $0.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } }
                return masks.contains { $0 >> UInt64(SIGTERM - 1) & 1 == 1 } ? true : nil
            }
            program.send(SIGTERM)
            #expect(try await program.ended() == .exit(128 + SIGTERM))
        }
    }

    @Test(
        "has a memory and an environment that no other program of this user can read",
        .enabled(if: access("/usr/bin/setpriv", X_OK) == 0, "needs setpriv")
    )
    func undumpable() async throws {
        try await withBench { bench in
            // Root may read everything: it is a program of another user then.
            let user = geteuid() == 0 ? 65_534 : geteuid()
            chown(bench.home, user, user)
            let script = """
                "$0" sandbox --port 0 & child=$!
                for pass in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
                    grep -q 'file size *0 *0' /proc/$child/limits && break
                    sleep 0.5
                done
                stat -c %u /proc/$child/environ
                cat /proc/$child/environ >/dev/null 2>&1 && echo readable || echo closed
                cat /proc/$$/environ >/dev/null 2>&1 && echo readable || echo closed
                kill $child
                """
            let setting = geteuid() == 0 ? ["--reuid=\(user)", "--clear-groups"] : []
            let program = bench.keep(
                try Program(
                    "/usr/bin/setpriv",
                    setting + ["/bin/sh", "-c", script, Authtop.path],
                    environment: bench.environment
                )
            )
            try await program.ended()
            let lines = program.output.lines.filter { $0 == "0" || !$0.contains(" ") }
            #expect(lines == ["0", "closed", "readable"], "\(program.errors.text)")
        }
    }
}
