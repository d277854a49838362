import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A thread that offers its processor to others between any two pieces of its work.
///
/// The reader of a proxy's traffic takes as much time as the relaying, which would have to wait for
/// it where there are few processors: a scheduler lets a thread go on for milliseconds, even if one
/// of a higher priority waits. A lower priority would also be passed on to threads, and to
/// programs, that are started meanwhile.
package final class BackgroundExecutor: TaskExecutor {
    private let loop: any EventLoop

    /// The thread lives as long as the process.
    package init() {
        loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute {
            sched_yield()
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
