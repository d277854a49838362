internal import CNcurses
internal import Glibc

extension TerminalScreen {
    /// Gives the terminal back and stops the job (Ctrl-Z); returns when it runs again, painted.
    ///
    /// Where no shell could continue it, it does not stop.
    package func suspend() {
        guard phase == .open else { return }
        leave()
        _ = TerminalGuard.stop()
        comeBack()
    }

    /// Acts on the signals that arrived since the last time.
    func readSignals() {
        var arrived: Set<Int32> = []
        while let signal = TerminalGuard.nextSignal() { arrived.insert(signal) }
        for signal in [SIGTERM, SIGHUP, SIGINT, SIGQUIT] where arrived.contains(signal) {
            send(.interrupted(signal: signal))
        }
        if arrived.contains(SIGTSTP) { suspend() }
        if arrived.contains(SIGCONT), TerminalGuard.continuations != continuations { comeBack() }
        if arrived.contains(SIGWINCH), phase == .open { sizeChanged() }
    }

    /// A size that went and came back within a moment is the same size, and yet the terminal has
    /// cut off what did not fit.
    private func sizeChanged() {
        guard adoptSize() else { return redraw() }
        send(.resized(columns: size.columns, rows: size.rows))
    }

    /// Takes the terminal again after a stop, once the shell gives it to us.
    private func comeBack() {
        while !TerminalGuard.isForeground, !TerminalGuard.wasAskedToEnd {
            guard TerminalGuard.stop() else { break }
        }
        continuations = TerminalGuard.continuations
        if TerminalGuard.wasAskedToEnd { return }
        enter()
        send(.resumed)
    }
}
