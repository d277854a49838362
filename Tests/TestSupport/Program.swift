package import Foundation
import Glibc
import Synchronization

/// A program that runs beside the test.
package final class Program: Sendable {
    package enum Ending: Sendable, Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    package let pid: pid_t
    package let output = LineLog()
    package let errors = LineLog()
    private let state = Mutex<Ending?>(nil)

    /// Starts it with nothing to read.
    ///
    /// By `posix_spawn`, because Foundation's `Process` also waits for the programs that other
    /// tests started at the same moment, and crashes when other threads close files meanwhile.
    ///
    /// - Parameters:
    ///   - path: Absolute.
    ///   - arguments: Without the program's name.
    ///   - environment: Of the calling process, unless another is given.
    /// - Throws: `Spawn.Failure`.
    package init(
        _ path: String,
        _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        var spawn = try Spawn(path, arguments, environment: environment)
        pid = try spawn.start()
        output.read(spawn.output)
        errors.read(spawn.errors)
        Thread.detachNewThread { [self] in reap() }
    }

    /// `nil` while it runs.
    package var ending: Ending? { state.withLock { $0 } }

    /// The command line that any user may read in `ps`.
    package var commandLine: String {
        let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
        return String(decoding: bytes.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
    }

    /// Sends a signal, unless it has ended.
    package func send(_ signal: Int32) {
        state.withLock { ending in
            if ending == nil { kill(pid, signal) }
        }
    }

    /// Waits for its end, and for everything that it wrote.
    @discardableResult
    package func ended(within limit: Duration = .seconds(180)) async throws -> Ending {
        try await eventually("the end of \(pid)", within: limit, evidence: { errors.text }) {
            output.isClosed && errors.isClosed ? ending : nil
        }
    }

    /// Ends it, whatever it does.
    package func stop() async {
        send(SIGKILL)
        _ = try? await eventually("the end of \(pid)") { ending }
    }

    /// The number is this program's until its end is noted: no other program gets the signal.
    private func reap() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        state.withLock { ending in
            var status: Int32 = 0
            waitpid(pid, &status, 0)
            let signal = status & 0x7F
            ending = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
        }
    }
}

extension Program {
    /// Runs a program to its end.
    ///
    /// - Throws: `NeverCame` if it fails, with what it wrote.
    package static func run(
        _ path: String,
        _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws {
        let program = try Program(path, arguments, environment: environment)
        guard try await program.ended() == .exit(0) else {
            let what = ([path] + arguments).joined(separator: " ")
            throw NeverCame(what: what, evidence: program.errors.text)
        }
    }

    /// Runs a line of shell to its end.
    ///
    /// - Throws: `NeverCame` if it fails, with what it wrote.
    package static func shell(
        _ line: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws {
        try await run("/bin/sh", ["-c", line], environment: environment)
    }

    /// Whether Debian's Python has a module.
    package static func pythonHas(_ module: String) async -> Bool {
        (try? await run(python, ["-c", "import \(module)"])) != nil
    }

    package static let python = "/usr/bin/python3"
}
