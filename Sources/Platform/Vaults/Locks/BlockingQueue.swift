import Client
import Dispatch
import Model

/// Runs blocking work on files and processes, one after the other, outside the cooperative thread
/// pool.
struct BlockingQueue: Sendable {
    private let queue = DispatchQueue(label: "vault")

    func run(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                body()
                continuation.resume()
            }
        }
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(VaultProblem) -> Value
    ) async throws(VaultProblem) -> Value {
        let result: Result<Value, VaultProblem> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(VaultProblem) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
