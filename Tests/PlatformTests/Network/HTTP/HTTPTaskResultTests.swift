import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import Basics
@testable import Platform

@Suite("Token transport: a task that the HTTP client does not end", .timeLimit(.minutes(20)))
struct HTTPTaskResultTests {
    @Test("ends for its caller at the deadline")
    func deadline() async throws {
        try await withUnendingTask { task in
            let deadline = liveTime.now + .milliseconds(200)
            let result = await task.result(by: deadline, liveTime, limit: .milliseconds(200))
            #expect(throws: NetworkFault.deadline(.milliseconds(200))) { try result.get() }
        }
    }

    @Test("ends for a caller that is cancelled")
    func cancelled() async throws {
        try await withUnendingTask { task in
            let caller = Task {
                await task.result(by: liveTime.now + .seconds(600), liveTime, limit: .seconds(600))
            }
            caller.cancel()
            let result = await caller.value
            #expect(throws: NetworkFault.cancelled) { try result.get() }
        }
    }

    private func withUnendingTask(
        _ body: (HTTPClient.Task<Void>) async throws -> Void
    ) async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        try await ScriptedServer.run([[.readRequest, .send(answer), .hold]]) { server in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            let delegate = HeldDelegate()
            let url = "http://127.0.0.1:\(server.port)/"
            let task = client.execute(request: try .init(url: url), delegate: delegate)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(task))
            } catch {
                result = .failure(error)
            }
            delegate.release()
            try await client.shutdown()
            try result.get()
        }
    }
}

/// Takes the head of a response, and never says that it has: a task of which the whole response has
/// come waits for that even when it is failed.
private final class HeldDelegate: HTTPClientResponseDelegate {
    private let held = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)

    func release() {
        held.succeed()
    }

    func didReceiveHead(
        task: HTTPClient.Task<Void>,
        _ head: HTTPResponseHead
    ) -> EventLoopFuture<Void> {
        held.futureResult
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) {}
}
