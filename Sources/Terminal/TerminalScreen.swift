internal import CNcurses
package import Dashboard
internal import Dispatch

/// The terminal in full-screen mode: it shows grids and reads keys, and decides nothing.
///
/// Pair `init` and `close()` with a `defer`. Events arrive while the main queue is served, as
/// Swift's asynchronous `main` does.
@MainActor
package final class TerminalScreen {
    enum Phase {
        case open
        /// The shell has the terminal, or is about to get it.
        case away
        case closed
    }

    /// What was read together comes together, so that a paste costs a frame and not one a key.
    package let events: AsyncStream<[TerminalEvent]>
    /// Whether the locale can show more than ASCII.
    package let isUTF8: Bool
    /// How many colours the terminal has; with 0 a theme is shown by its attributes only.
    package let colours: Int

    var phase = Phase.open
    /// Continuations of the process that were acted on.
    var continuations = TerminalGuard.continuations
    /// Whether it can be asked to tell of its focus.
    private let tellsFocus: Bool
    private let eventSink: AsyncStream<[TerminalEvent]>.Continuation
    private let keyWindow: UnsafeMutablePointer<WINDOW>
    private var canvas: Canvas
    private var decoder = KeyDecoder()
    private var sources: [any DispatchSourceRead] = []

    /// Opens the terminal of standard input and output.
    ///
    /// - Parameter environment: `TERM` names the terminal; `LC_ALL`, `LC_CTYPE` and `LANG` its
    ///   characters.
    /// - Throws: Before anything was written, when it cannot be a screen.
    package init(environment: [String: String]) throws(TerminalError) {
        isUTF8 = Self.adoptLocale(environment)
        let term = try Self.usableTerm(environment)
        TerminalGuard.capture()
        guard cn_open(term) != nil else { throw .refused(term) }
        guard let keyWindow = cn_open_keys() else {
            endwin()
            throw .refused(term)
        }
        self.keyWindow = keyWindow
        cn_configure()
        for (sequence, code) in KeyCodes.commonSequences where key_defined(sequence) == 0 {
            define_key(sequence, code)
        }
        // Read as they are: the decoder knows them.
        for sequence in FocusReport.sequences { define_key(sequence, 0) }
        tellsFocus = FocusReport.isUnderstood(
            cursorAddress: cn_capability("cup").map { String(cString: $0) }
        )
        canvas = Canvas()
        colours = canvas.colours
        (events, eventSink) = AsyncStream.makeStream()
        TerminalGuard.takeOver()
        setFocusReports(true)
        _ = adoptSize()
        sources = [
            source(STDIN_FILENO) { $0.readKeys() },
            source(TerminalGuard.wakeDescriptor) { $0.readSignals() },
        ]
    }

    /// At least 1 × 1.
    package var size: (columns: Int, rows: Int) {
        (max(1, Int(cn_columns())), max(1, Int(cn_rows())))
    }

    /// Makes the screen look like the grid, writing only what differs.
    ///
    /// What is outside the screen is cut, what the grid does not cover is blank.
    package func show(_ grid: Grid, theme: Theme) {
        guard phase == .open else { return }
        TerminalGuard.lendStack()
        canvas.show(grid, theme: theme)
    }

    /// Paints the last frame again, whatever is on the terminal (Ctrl-L).
    package func redraw() {
        guard phase == .open else { return }
        cn_distrust()
        cn_show()
    }

    /// Gives the terminal back as it was; again does nothing.
    package func close() {
        guard phase != .closed else { return }
        for source in sources { source.cancel() }
        if phase == .open { leave() }
        phase = .closed
        TerminalGuard.giveBack()
        eventSink.finish()
    }

    /// Gives the terminal to the shell, for a while or for good.
    func leave() {
        // In the background it belongs to somebody else: the guard writes what is safe to write.
        if TerminalGuard.isForeground {
            def_prog_mode()
            setFocusReports(false)
            endwin()
            TerminalGuard.restoreModes()
            TerminalGuard.arm(false)
        }
        phase = .away
    }

    /// Takes the size the kernel knows; true when it was another.
    func adoptSize() -> Bool {
        var (columns, rows): (Int32, Int32) = (0, 0)
        let before = size
        guard cn_kernel_size(&columns, &rows) != 0, (Int(columns), Int(rows)) != before else {
            return false
        }
        resizeterm(rows, columns)
        canvas.forget()
        return true
    }

    /// Puts the terminal into our modes again and paints it.
    func enter() {
        TerminalGuard.arm(true)
        reset_prog_mode()
        // The keypad's mode would otherwise only come back with the first key.
        keypad(keyWindow, true)
        setFocusReports(true)
        phase = .open
        if adoptSize() { send(.resized(columns: size.columns, rows: size.rows)) }
        redraw()
    }

    private func setFocusReports(_ isOn: Bool) {
        guard tellsFocus else { return }
        let sequence = isOn ? FocusReport.on : FocusReport.off
        fflush(nil)
        cn_write_all(STDOUT_FILENO, sequence, sequence.utf8.count)
    }

    func send(_ event: TerminalEvent) {
        eventSink.yield([event])
    }

    private func readKeys() {
        var burst: [Int32] = []
        while burst.count < Self.burstLimit {
            let code = wgetch(keyWindow)
            if code != ERR {
                burst.append(code)
            } else if cn_input_waits() != 1 {
                break
            }
        }
        let events = decoder.decode(burst)
        if !events.isEmpty { eventSink.yield(events) }
        // Readable and yet nothing to read: the terminal is gone, and would say so for ever.
        if burst.isEmpty, cn_input_waits() <= 0 {
            sources.first?.cancel()
            send(.interrupted(signal: SIGHUP))
        }
    }

    /// Keys taken at once, so that a pasted book does not keep the screen from being painted.
    private static let burstLimit = 2048

    private func source(
        _ descriptor: Int32,
        _ body: @escaping @MainActor (TerminalScreen) -> Void
    ) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        source.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                TerminalGuard.lendStack()
                if let self { body(self) }
            }
        }
        source.resume()
        return source
    }
}

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
