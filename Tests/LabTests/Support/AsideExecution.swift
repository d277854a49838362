import Foundation
import Glibc
import Synchronization
import Testing

/// Runs a suite on a thread of its own that yields to everything else.
///
/// A simulated system computes for seconds without a pause. On the pool that all tests share, two
/// of them leave no thread to tests whose stories are told in real seconds: tokens expire before
/// they are used. Its tests are serialized besides: where the number of tests that begin at once is
/// limited, they would take all places, and wait in them for this one thread.
struct AsideExecution: SuiteTrait, TestTrait, TestScoping {
    private static let executor = BackgroundExecutor()

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Self.executor) { try await function() }
    }
}

extension Trait where Self == AsideExecution {
    /// The suite computes for long.
    static var aside: AsideExecution { AsideExecution() }
}

private final class BackgroundExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    init() {
        let thread = Thread { [self] in
            // On Linux this is the calling thread's own.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            while true {
                arrivals.wait()
                let job = jobs.withLock { $0.removeFirst() }
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
        // A debug build's simulation nests deeper than a thread's half megabyte.
        thread.stackSize = 8 << 20
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrivals.signal()
    }
}
