import CProcess
import Dispatch
import Glibc
import Vaults

/// The signals that ask a program without a screen to end.
///
/// A handler notes them in a pipe: a signal source of Dispatch loses one that comes while it is
/// being registered.
///
/// Unchecked: the source is kept alive, and only cancelled.
final class SignalWatch: @unchecked Sendable {
    private let source: any DispatchSourceRead
    let signals: AsyncStream<Int32>

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.signals = signals
        let descriptor = SignalCatcher.watch()
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler { @Sendable in
            var number: UInt8 = 0
            while read(descriptor, &number, 1) == 1 { continuation.yield(Int32(number)) }
        }
        source.resume()
    }

    deinit { source.cancel() }
}

/// Keeps what is in this process's memory, and what it writes, from everybody else.
enum ProcessGuard {
    /// Before anything secret is read.
    ///
    /// A process that may not be dumped writes no core, be it to a file or to a program that the
    /// system gives cores to, which asks for no limit. Besides, nobody but root can attach a
    /// debugger to it or read its environment and memory under `/proc`, where its files belong to
    /// root from now on. A program that it starts can be dumped again, but for the limit, which it
    /// inherits.
    static func raise() {
        umask(0o077)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = cp_forbid_dumps()
    }
}
