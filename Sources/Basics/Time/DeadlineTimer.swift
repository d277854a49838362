/// Wakes an actor at the next deadline of what it runs, which may change at any time.
package final class DeadlineTimer {
    /// The clocks are checked once a day even without a deadline.
    private static let longest = Duration.seconds(86_400)

    private let time: any Timekeeper
    private var sleeper: Task<Void, Never>?
    /// The deadline that it sleeps for, or `nil` if there is none.
    private var deadline: Instant?

    package init(_ time: any Timekeeper) {
        self.time = time
    }

    /// Runs until the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - isolation: The actor whose deadlines these are.
    ///   - nextDeadline: Returns the next deadline, or `nil` if there is none.
    ///   - tick: Called whenever the next deadline has come.
    package func run(
        isolation: isolated (any Actor)? = #isolation,
        nextDeadline: () -> Instant?,
        tick: () -> Void
    ) async {
        while !Task.isCancelled {
            deadline = nextDeadline()
            let end = deadline ?? time.now + Self.longest
            let sleeper = Task { [time] in _ = try? await time.sleep(until: end) }
            self.sleeper = sleeper
            await withTaskCancellationHandler {
                await sleeper.value
            } onCancel: {
                sleeper.cancel()
            }
            guard !Task.isCancelled else { return }
            if let due = nextDeadline(), due <= time.now { tick() }
        }
    }

    /// Wakes if it sleeps for another deadline than the next one.
    package func deadlineChanged(to next: Instant?) {
        if next != deadline { sleeper?.cancel() }
    }

    /// The same, but only if the next deadline comes earlier; where each request moves it, a later one
    /// is cheaper to notice once the former has come.
    package func deadlineMoved(to next: Instant?) {
        guard let next, deadline.map({ next < $0 }) ?? true else { return }
        sleeper?.cancel()
    }
}
