import Basics
import Model
import UI

/// Where the events of a run go: a screen, lines, or one frame.
protocol RunOutput: Sendable {
    /// Whether sessions wait for the output rather than lose an event.
    var isLossless: Bool { get }
    /// The signals that end the run, or `nil` if the output watches them itself.
    var signals: SignalWatch? { get }

    /// - Returns: `false` if the output was closed.
    func put(_ events: [SessionEvent]) async -> Bool
    /// Follows the ends of sessions, and the times when they are alive again.
    func follow(_ ends: EventStream) async
    func warn(_ message: String)
    func notify(_ message: String)
    /// Tells a user who is not looking.
    func announce(_ notification: Notification)
    /// Ends the run.
    func end(_ end: RunEnd)
    /// Waits until something ends the run.
    func result() async throws -> RunResult
}

extension RunOutput {
    var isLossless: Bool { false }

    func follow(_ ends: EventStream) async {}

    func warn(_ message: String) {
        StandardError.write("authtop: \(message)")
    }

    func notify(_ message: String) {}

    func announce(_ notification: Notification) {}
}

/// The end of a run.
struct RunResult: Sendable {
    /// The end of the run as a whole, or `nil` if all sessions had ended by themselves.
    var end: RunEnd?
    /// The end of each session; one that is missing was alive at the end.
    var sessions: [SessionID: RunEnd] = [:]
    /// The moment of the frame that was printed, or `nil` if there was none.
    var shown: Moment?
}
