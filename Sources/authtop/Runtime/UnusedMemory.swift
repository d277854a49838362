import Basics
import CProcess

/// The memory that only starting, or a burst of traffic, needed.
enum UnusedMemory {
    /// When it is given back first: two thirds of the code are for the start alone.
    private static let startingTime = Duration.seconds(3)
    /// How often it is after that.
    private static let interval = Duration.seconds(60)

    /// Gives it back to the system from time to time, until the calling task is cancelled.
    static func release(by time: any Timekeeper) async {
        var due = time.now + startingTime
        while (try? await time.sleep(until: due)) != nil {
            cp_release_memory()
            due = time.now + interval
        }
    }
}
