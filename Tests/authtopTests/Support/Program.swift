import Foundation
import Glibc
import Synchronization

/// A program that runs beside the test.
final class Program: Sendable {
    enum Ending: Sendable, Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    let pid: pid_t
    let output = LineLog()
    let errors = LineLog()
    private let state = Mutex<Ending?>(nil)

    /// Starts it with nothing to read.
    init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        var spawn = try Spawn(path, arguments, environment: environment)
        pid = try spawn.start()
        output.read(spawn.output)
        errors.read(spawn.errors)
        Thread.detachNewThread { [self] in reap() }
    }

    /// `nil` while it runs.
    var ending: Ending? { state.withLock { $0 } }

    /// What anybody may read in `ps`.
    var commandLine: String {
        let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
        return String(decoding: bytes.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
    }

    /// Sends a signal, unless it has ended.
    func send(_ signal: Int32) {
        state.withLock { ending in
            if ending == nil { kill(pid, signal) }
        }
    }

    /// Waits for its end, and for everything that it wrote.
    @discardableResult
    func ended(within limit: Duration = .seconds(60)) async throws -> Ending {
        try await eventually("the end of \(pid)", within: limit, evidence: { errors.text }) {
            output.isClosed && errors.isClosed ? ending : nil
        }
    }

    /// Ends it, whatever it does.
    func stop() async {
        send(SIGKILL)
        _ = try? await eventually("the end of \(pid)") { ending }
    }

    /// The number is this program's until its end is noted: nobody else gets the signal.
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
