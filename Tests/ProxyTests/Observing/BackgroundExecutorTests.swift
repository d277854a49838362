import Foundation
import Testing

@testable import Proxy

@Suite("Proxy: the thread that reads the traffic", .timeLimit(.minutes(20)))
struct BackgroundExecutorTests {
    private actor Store {
        func thread() -> ObjectIdentifier { BackgroundExecutorTests.thread() }
    }

    private static func thread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

    @Test("an actor, what it waits for, and what it starts run on one thread")
    func oneThread() async {
        let store = Store()
        let threads = await withTaskExecutorPreference(BackgroundExecutor()) {
            var threads = [Self.thread(), await store.thread()]
            await Task.yield()
            threads.append(await store.thread())
            async let child = store.thread()
            threads.append(await child)
            return threads
        }
        #expect(Set(threads).count == 1)
    }
}
