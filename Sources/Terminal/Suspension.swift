internal import CNcurses
internal import Glibc

extension TerminalScreen {
    /// Restores the terminal and stops the job (Ctrl-Z); after it continues, redraws the screen and
    /// returns.
    ///
    /// The job is not stopped if no shell could continue it.
    package func suspend() {
        guard phase == .open else { return }
        leave()
        _ = TerminalGuard.stop()
        comeBack()
    }

    /// Whether a signal has asked the process to terminate.
    package nonisolated static var wasAskedToEnd: Bool { TerminalGuard.wasAskedToEnd }

    /// Leaves the terminal to another program, and takes it again when `body` returns.
    ///
    /// - Returns: The result of `body`, or `nil` if the terminal is not this program's to lend.
    package func lend<Result: Sendable>(
        _ body: @MainActor () async -> Result?
    ) async -> Result? {
        guard phase == .open, TerminalGuard.isForeground else { return nil }
        leave()
        phase = .lent
        setReadsKeys(false)
        let result = await body()
        guard phase == .lent else { return result }
        setReadsKeys(true)
        comeBack()
        return result
    }

    /// Handles the signals that have arrived since the last call.
    func readSignals() {
        var arrived: Set<Int32> = []
        while let signal = TerminalGuard.nextSignal() { arrived.insert(signal) }
        for signal in [SIGTERM, SIGHUP, SIGINT, SIGQUIT] where arrived.contains(signal) {
            send(.interrupted(signal: signal))
        }
        if arrived.contains(SIGTSTP) { suspend() }
        if arrived.contains(SIGCONT), TerminalGuard.continuations != continuations, phase != .lent {
            comeBack()
        }
        if arrived.contains(SIGWINCH), phase == .open { sizeChanged() }
    }

    /// Handles a change of size.
    ///
    /// Even if the size is the same again, the terminal may have cut off what did not fit in
    /// between.
    private func sizeChanged() {
        guard adoptSize() else { return redraw() }
        send(.resized(columns: size.columns, rows: size.rows))
    }

    /// Takes the terminal again after a stop, when this process is in the foreground.
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
