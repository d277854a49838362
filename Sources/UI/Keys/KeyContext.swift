import Basics
import Model

/// The facts that decide whether a command is available.
struct KeyContext {
    let session: SessionSnapshot
    /// Whether the user only watches.
    let isReadOnly: Bool
    /// Whether the session is an app's, as a proxy sees it.
    let isObserved: Bool
    /// The current time, or `nil` if it is unknown yet.
    let now: Instant?
    let keys: KeyMap

    var hasTokens: Bool { session.current != nil }

    /// The name of the backend in a message.
    var backend: String { session.capabilities?.dialect ?? "this backend" }
}
