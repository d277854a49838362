import CProcess
import Glibc

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
