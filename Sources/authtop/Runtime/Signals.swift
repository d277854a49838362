import CProcess
import Dispatch
import Glibc
import Platform
import Synchronization

/// Waits for signals that terminate a program without a screen.
///
/// A handler writes them to a pipe, because a signal source of Dispatch loses a signal that arrives
/// while it is being registered.
///
/// Unchecked: the source is only kept alive and cancelled.
final class SignalWatch: @unchecked Sendable {
    private let source: any DispatchSourceRead
    let signals: AsyncStream<Int32>
    /// Whether the next signal ends the program.
    private let isLeaving = Mutex(false)

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.signals = signals
        let descriptor = SignalCatcher.watch()
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler { @Sendable [weak self] in
            var number: UInt8 = 0
            while read(descriptor, &number, 1) == 1 {
                let isLeaving = self?.isLeaving.withLock { $0 } ?? false
                if isLeaving { ProgramExit.leave(128 + Int32(number)) }
                continuation.yield(Int32(number))
            }
        }
        source.resume()
    }

    /// Ends the program at once at the next signal, whatever it still waits for.
    ///
    /// A user who asks for the end once more does not want to wait.
    func leaveAtNext() { isLeaving.withLock { $0 = true } }

    deinit { source.cancel() }
}

/// Protects this process's memory, and its files, from other processes and users.
enum ProcessGuard {
    /// The file mode creation mask that the process was started with; its own keeps files from
    /// other users.
    static let inheritedFileMode = umask(0o077)

    /// Forbids dumps; call it before any secret is read.
    ///
    /// A process that is not dumpable writes no core, neither to a file nor to a program that
    /// receives cores, which ignores the core size limit. In addition, only root can attach a
    /// debugger to it or read its environment and memory under `/proc`, whose files belong to root
    /// from now on. A program that it starts is dumpable again, except for the core size limit,
    /// which it inherits.
    static func raise() {
        _ = inheritedFileMode
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = cp_forbid_dumps()
    }
}
