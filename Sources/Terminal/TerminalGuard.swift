internal import CNcurses
internal import Glibc

/// The state of the signal handlers, which receive no context; this is why there is one per
/// process.
///
/// Sound because the pointer is set once, before any handler is installed, and never freed. The
/// memory is changed only by C code, atomically wherever a handler may run at the same time.
private nonisolated(unsafe) let guardian = cn_guard_make()

/// The part of the driver that still works if the program hangs or crashes; see `guard.h`.
@MainActor
enum TerminalGuard {
    /// A descriptor that becomes readable when a signal is pending.
    static var wakeDescriptor: Int32 { guardian.pointee.wake.0 }

    nonisolated static var wasAskedToEnd: Bool { cn_guard_was_asked_to_end(guardian) != 0 }

    /// The number of times the process has been continued.
    static var continuations: Int32 { cn_guard_continued(guardian) }

    static var isForeground: Bool { cn_is_foreground() != 0 }

    /// Saves the state of the terminal; called before ncurses starts.
    static func capture() {
        cn_guard_capture(guardian)
    }

    /// Records that the terminal is in the program's modes, and installs the handlers; called after
    /// ncurses starts, whose own handlers are replaced.
    static func takeOver() {
        let pieces = RestoreSequence.pieces { name in
            cn_capability(name).map { String(cString: $0) }
        }
        for piece in pieces { cn_guard_append(guardian, piece) }
        cn_guard_arm(guardian, 1)
        // The closures run on arbitrary threads: @Sendable keeps them from being isolated to the
        // main actor.
        cn_guard_catch_signals(guardian) { @Sendable number, info, context in
            cn_guard_receive(guardian, number, info, context)
        }
        cn_guard_hold_complaints(guardian)
        atexit { @Sendable in cn_guard_restore(guardian) }
    }

    /// Provides a signal stack for the current thread, so that a stack overflow is handled like any
    /// crash.
    static func lendStack() {
        cn_guard_lend_stack(guardian)
    }

    static func arm(_ isArmed: Bool) {
        cn_guard_arm(guardian, isArmed ? 1 : 0)
    }

    /// Restores what the guard has changed; called after ncurses has ended.
    static func giveBack() {
        cn_guard_restore(guardian)
        cn_guard_leave_signals(guardian)
    }

    /// Sets the modes that the terminal had before it was opened.
    static func restoreModes() {
        tcsetattr(STDIN_FILENO, TCSANOW, &guardian.pointee.modes)
    }

    static func nextSignal() -> Int32? {
        let number = cn_guard_next_signal(guardian)
        return number == 0 ? nil : number
    }

    /// Stops the job; returns `false` if it was not stopped because no shell could continue it.
    static func stop() -> Bool {
        cn_guard_stop(guardian) != 0
    }
}

/// The bytes that restore the terminal without ncurses, for a process that is about to terminate.
enum RestoreSequence {
    /// The capabilities: original colors, no attributes, normal keypad, visible cursor, the shell's
    /// screen.
    static let capabilities = ["op", "sgr0", "rmkx", "cnorm", "rmcup"]

    /// Shows what was written of a frame, which may have been cut off.
    private static let frameEnd = "\u{1B}[?2026l"

    /// Returns the sequences in order, with a line break for a terminal that has only one screen.
    static func pieces(capability: (String) -> String?) -> [String] {
        let hasModes = FocusReport.isUnderstood(cursorAddress: capability("cup"))
        let found =
            (hasModes ? [frameEnd, FocusReport.off, BracketedPaste.off, MouseReport.off] : [])
            + capabilities.compactMap(capability).map(withoutPadding)
        return capability("rmcup") == nil ? found + ["\r\n"] : found
    }

    /// Removes terminfo's delays (`$<5>`, `$<10*/>`), which only old hardware needs.
    static func withoutPadding(_ text: String) -> String {
        // A first regular expression would cost half a millisecond before the first frame.
        text.contains("$") ? text.replacing(/\$<[0-9.]+[*\/]{0,2}>/, with: "") : text
    }
}
