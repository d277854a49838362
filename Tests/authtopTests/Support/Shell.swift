import Foundation

/// A line of shell that a test needs done.
///
/// By `Program`, because Foundation's `Process` waits for all those programs, too, that other
/// tests started at the same moment.
enum Shell {
    static func run(_ line: String) async throws {
        let shell = try Program(
            "/bin/sh",
            ["-c", line],
            environment: ProcessInfo.processInfo.environment
        )
        guard try await shell.ended() == .exit(0) else {
            throw NeverCame(what: line, evidence: shell.errors.text)
        }
    }
}
