import Timekeeping

/// Awaits `work`, and calls `expire` if the deadline comes first.
///
/// It always waits for `work`, which `expire` has to bring to an end; a cancelled caller sees to
/// that itself.
func withDeadline<Value: Sendable>(
    _ deadline: Instant,
    by timekeeper: any Timekeeper,
    expire: @escaping @Sendable () -> Void,
    work: () async -> Value
) async -> Value {
    await withTaskGroup(of: Void.self) { group in
        group.addTask {
            guard (try? await timekeeper.sleep(until: deadline)) != nil else { return }
            expire()
        }
        let value = await work()
        group.cancelAll()
        return value
    }
}
