import CSignals
import Glibc

/// A tool that was started, and has to be waited for: the first of a process group of its own, to
/// which everything belongs that it starts.
struct ToolProcess {
    enum State: Equatable {
        case running
        /// By Ctrl-Z, or because it wants a terminal that is not its own.
        case stopped
        case ended(ChildProgram.Ending)
    }

    /// How long it may take to end when it is asked to, in hundredths of a second.
    private static let grace = 100

    let pid: pid_t

    /// Told once of each change.
    func state() -> State {
        var value: Int32 = 0
        switch cs_look_at(pid, &value) {
        case CS_EXITED: return .ended(.exited(value))
        case CS_SIGNALED: return .ended(.signaled(value))
        case CS_STOPPED: return .stopped
        default: return .running
        }
    }

    /// Lets it run again, with all that it has started.
    func resume() {
        kill(-pid, SIGCONT)
    }

    /// Ends it, and all that it has started: first by asking, then by force.
    ///
    /// - Parameter hasEnded: Whether its own end was told already.
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

/// The terminal in the hands of a program that may ask on it.
///
/// Its process group is the foreground one, as a shell makes that of a job, so that all of it can
/// be ended without ending us. Hence Ctrl-C and Ctrl-Z reach that group alone, and we follow it.
final class TerminalLoan {
    private let descriptor: Int32
    private let modes: termios
    /// As the program had set them when it was stopped.
    private var programModes: termios?

    /// `nil` where there is no terminal, or it is not ours to lend.
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

    /// Takes it back from a group that has it.
    ///
    /// - Parameters:
    ///   - group: The program's.
    ///   - leavesModes: Whether it has ended in order, and has left the terminal as it should be.
    func takeBack(from group: pid_t, leavesModes: Bool) {
        guard tcgetpgrp(descriptor) == group else { return }
        cs_set_foreground(descriptor, getpgrp())
        guard !leavesModes else { return }
        var present = modes
        if tcgetattr(descriptor, &present) == 0 { programModes = present }
        var modes = modes
        tcsetattr(descriptor, TCSADRAIN, &modes)
    }

    /// Gives it away again as it was left, if it is ours.
    func lend(to group: pid_t) {
        guard tcgetpgrp(descriptor) == getpgrp() else { return }
        if var modes = programModes { tcsetattr(descriptor, TCSADRAIN, &modes) }
        cs_set_foreground(descriptor, group)
    }
}
