import AsyncHTTPClient
import Basics
import NIOCore

extension HTTPClient.Task where Response: Sendable {
    /// The time that the client has to end a task that has failed, after which that is not waited for.
    private static var grace: TimeAmount { .seconds(1) }

    /// Waits for the result until `deadline`, or until the caller is cancelled.
    ///
    /// The client does not end every task that fails: over HTTP/2, it loses the end of a request whose
    /// response came before it. The result is the fault then, too.
    ///
    /// - Parameters:
    ///   - deadline: When the task is failed.
    ///   - timekeeper: The clock of the deadline.
    ///   - limit: The time until `deadline`, for the fault.
    /// - Returns: The response, or why there is none.
    func result(
        by deadline: Instant,
        _ timekeeper: any Timekeeper,
        limit: Duration
    ) async -> Result<Response, any Error> {
        let ended = eventLoop.makePromise(of: Response.self)
        futureResult.cascade(to: ended)
        let end: @Sendable (NetworkFault) -> Void = { fault in
            self.fail(reason: fault)
            self.eventLoop.scheduleTask(in: Self.grace) { ended.fail(fault) }
        }
        return await withTaskCancellationHandler {
            await withDeadline(deadline, by: timekeeper) {
                end(.deadline(limit))
            } work: {
                await Result { try await ended.futureResult.get() }
            }
        } onCancel: {
            end(.cancelled)
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ work: () async throws -> Success) async {
        do {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }
}
