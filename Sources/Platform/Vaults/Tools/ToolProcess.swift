import CSignals
import Glibc

/// A running tool, which must be waited for.
///
/// It leads a process group of its own, to which all its descendants belong.
struct ToolProcess {
    enum State: Equatable {
        case running
        /// Stopped by Ctrl-Z, or because it tried to use a terminal that it does not control.
        case stopped
        case ended(ChildProgram.Ending)
    }

    /// The time to end after SIGTERM, in hundredths of a second.
    private static let grace = 100

    let pid: pid_t

    /// Returns the current state; reports each change once.
    func state() -> State {
        var value: Int32 = 0
        switch cs_look_at(pid, &value) {
        case CS_EXITED: return .ended(.exited(value))
        case CS_SIGNALED: return .ended(.signaled(value))
        case CS_STOPPED: return .stopped
        default: return .running
        }
    }

    /// Continues the tool and all its descendants.
    func resume() {
        kill(-pid, SIGCONT)
    }

    /// Ends the tool and all its descendants, first with SIGTERM, then with SIGKILL.
    ///
    /// - Parameter hasEnded: Whether the end of the tool itself was already reported.
    func end(hasEnded: Bool = false) {
        kill(-pid, SIGTERM)
        resume()
        var isReaped = hasEnded
        for _ in 0..<Self.grace {
            if !isReaped, case .ended = state() { isReaped = true }
            if isReaped, kill(-pid, 0) != 0 { return }
            poll(nil, 0, 10)
        }
        kill(-pid, SIGKILL)
        guard !isReaped else { return }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    }
}

/// Lends the terminal to a program that may prompt on it.
///
/// Its process group becomes the foreground group, as that of a job in a shell, so that the group
/// can be ended without ending this process. Ctrl-C and Ctrl-Z therefore reach only that group, and
/// this process follows it.
final class TerminalLoan {
    private let descriptor: Int32
    private let modes: termios
    /// The terminal modes at the time the program was stopped.
    private var programModes: termios?

    /// Creates a loan; `nil` if there is no terminal, or this process is not in its foreground.
    init?() {
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var modes = termios()
        guard tcgetpgrp(descriptor) == getpgrp(), tcgetattr(descriptor, &modes) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.modes = modes
    }

    deinit {
        close(descriptor)
    }

    /// Takes the terminal back.
    ///
    /// - Parameters:
    ///   - group: The program's process group.
    ///   - leavesModes: Whether the terminal modes stay unchanged, because the program ended
    ///     properly.
    func takeBack(from group: pid_t, leavesModes: Bool) {
        guard tcgetpgrp(descriptor) == group else { return }
        cs_set_foreground(descriptor, getpgrp())
        guard !leavesModes else { return }
        var present = modes
        if tcgetattr(descriptor, &present) == 0 { programModes = present }
        var modes = modes
        tcsetattr(descriptor, TCSADRAIN, &modes)
    }

    /// Lends the terminal again with the program's modes, if this process is in its foreground.
    func lend(to group: pid_t) {
        guard tcgetpgrp(descriptor) == getpgrp() else { return }
        if var modes = programModes { tcsetattr(descriptor, TCSADRAIN, &modes) }
        cs_set_foreground(descriptor, group)
    }
}
