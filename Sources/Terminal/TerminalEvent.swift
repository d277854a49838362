package import Dashboard

/// What the terminal tells the program.
package enum TerminalEvent: Sendable, Equatable {
    case key(Key)
    /// The terminal came to the foreground or went to the background, where it tells.
    case focus(isIn: Bool)
    /// The screen has another size, and is blank until the next frame.
    case resized(columns: Int, rows: Int)
    /// The program ran again after a stop; the last frame is back, the clock has moved on.
    case resumed
    /// Somebody asked the program to end: close, then exit with 128 + `signal`.
    case interrupted(signal: Int32)
}
