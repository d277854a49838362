internal import CNcurses
internal import Glibc

/// What a signal handler knows: it gets no context, so this is the one state per process.
///
/// Sound because the pointer is set once, before any handler is installed, and never freed; C
/// changes what it points to, by atomics wherever a handler may be running at the same time.
private nonisolated(unsafe) let guardian = cn_guard_make()

/// The part of the driver that outlives a stuck or crashing program (`guard.h` says how).
@MainActor
enum TerminalGuard {
    /// Where a waiting signal shows as input.
    static var wakeDescriptor: Int32 { guardian.pointee.wake.0 }

    static var wasAskedToEnd: Bool { cn_guard_was_asked_to_end(guardian) != 0 }

    /// How often the process was continued so far.
    static var continuations: Int32 { cn_guard_continued(guardian) }

    static var isForeground: Bool { cn_is_foreground() != 0 }

    /// Remembers the terminal as it is; before ncurses.
    static func capture() {
        cn_guard_capture(guardian)
    }

    /// The terminal is in our modes from now on; after ncurses, whose own handlers are replaced.
    static func takeOver() {
        let pieces = RestoreSequence.pieces { name in
            cn_capability(name).map { String(cString: $0) }
        }
        for piece in pieces { cn_guard_append(guardian, piece) }
        cn_guard_arm(guardian, 1)
        // Both run on whatever thread it happens on: @Sendable keeps them off the main actor.
        cn_guard_catch_signals(guardian) { @Sendable number, info, context in
            cn_guard_receive(guardian, number, info, context)
        }
        cn_guard_hold_complaints(guardian)
        atexit { @Sendable in cn_guard_restore(guardian) }
    }

    /// Makes a stack overflow on the thread that runs the main actor just now an ordinary crash.
    static func lendStack() {
        cn_guard_lend_stack(guardian)
    }

    static func arm(_ isArmed: Bool) {
        cn_guard_arm(guardian, isArmed ? 1 : 0)
    }

    /// Gives back what is still ours, and the signals; ncurses has done its part before.
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

    /// Stops the job; false when nobody could have continued it, so that it was not stopped.
    static func stop() -> Bool {
        cn_guard_stop(guardian) != 0
    }
}

/// The bytes that give a terminal back without ncurses, for a process that is about to die.
package enum RestoreSequence {
    /// Own colours, no attributes, plain keypad, visible cursor, the shell's screen.
    package static let capabilities = ["op", "sgr0", "rmkx", "cnorm", "rmcup"]

    /// The pieces in order; a terminal with only one screen gets a fresh line.
    package static func pieces(capability: (String) -> String?) -> [String] {
        let reports = FocusReport.isUnderstood(cursorAddress: capability("cup"))
        let found =
            (reports ? [FocusReport.off] : [])
            + capabilities.compactMap(capability).map(withoutPadding)
        return capability("rmcup") == nil ? found + ["\r\n"] : found
    }

    /// Drops terminfo's delays (`$<5>`, `$<10*/>`), which only old hardware needs.
    package static func withoutPadding(_ text: String) -> String {
        text.replacing(/\$<[0-9.]+[*\/]{0,2}>/, with: "")
    }
}
