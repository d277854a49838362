import Basics

/// A source of a session's events, which also performs the user's commands.
///
/// Any number of readers, such as a screen, JSON lines and a log, may follow the events.
package protocol SessionSource: Sendable {
    /// The id of the session in its events.
    var id: SessionID { get }
    var events: EventHub { get }
    /// The current state of the session.
    var state: SessionState { get async }
    /// Produces events until the calling task is cancelled, then ends all streams of `events`.
    func run() async
    /// Starts a command of the user; its outcome is reported by events.
    func perform(_ command: SessionCommand) async
    /// Closes open connections properly, within a few seconds.
    func leave() async
}
