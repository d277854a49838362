internal import CNcurses
internal import Dispatch
package import UI

/// The terminal in full-screen mode: it shows grids and reads keys, and makes no decisions.
///
/// Pair `init` and `close()` with a `defer`. Events arrive while the main queue runs, as it does in
/// Swift's asynchronous `main`.
@MainActor
package final class TerminalScreen {
    enum Phase {
        case open
        /// The shell has the terminal, or is about to take it.
        case away
        /// Another program has the terminal, and gives it back.
        case lent
        case closed
    }

    /// The events; those read together are delivered together, so that pasted text is drawn once
    /// and not for every key.
    package let events: AsyncStream<[TerminalEvent]>
    /// Whether the locale supports more than ASCII.
    package let isUTF8: Bool
    /// The number of colors of the terminal; with 0, a theme is shown with attributes only.
    package let colors: Int

    var phase = Phase.open
    /// The number of continuations of the process that have been handled.
    var continuations = TerminalGuard.continuations
    /// Whether the terminal knows the modes of xterm, or ignores them.
    private let hasModes: Bool
    private let hasMouse: Bool
    private let isInTmux: Bool
    private let eventSink: AsyncStream<[TerminalEvent]>.Continuation
    private let keyWindow: UnsafeMutablePointer<WINDOW>
    /// Whether the terminal is asked for its ground once the first frame is shown.
    package var asksForGround = false
    private var canvas: Canvas
    private var decoder = KeyDecoder()
    private var sources: [any DispatchSourceRead] = []

    /// Opens the terminal of standard input and output.
    ///
    /// - Parameters:
    ///   - environment: The environment variables: `TERM` names the terminal; `LC_ALL`, `LC_CTYPE`
    ///     and `LANG` its character set.
    ///   - hasMouse: Whether the terminal reports clicks and the wheel, in place of selecting text.
    /// - Throws: `TerminalError` if the terminal does not support a screen; nothing has been
    ///   written to it then.
    package init(environment: [String: String], hasMouse: Bool) throws(TerminalError) {
        self.hasMouse = hasMouse
        isInTmux = environment["TMUX"]?.isEmpty == false
        isUTF8 = Self.adoptLocale(environment)
        let term = try Self.usableTerm(environment)
        TerminalGuard.capture()
        guard let output = cn_open(term) else { throw .refused(term) }
        guard let keyWindow = cn_open_keys() else {
            endwin()
            throw .refused(term)
        }
        self.keyWindow = keyWindow
        cn_configure()
        for (sequence, code) in KeyCodes.commonSequences where key_defined(sequence) == 0 {
            define_key(sequence, code)
        }
        // Passed through, since the decoder recognizes them.
        for sequence in FocusReport.sequences + BracketedPaste.sequences + MouseReport.sequences {
            define_key(sequence, 0)
        }
        hasModes = FocusReport.isUnderstood(
            cursorAddress: cn_capability("cup").map { String(cString: $0) }
        )
        canvas = Canvas(output: output, isSynchronized: hasModes)
        colors = canvas.colors
        (events, eventSink) = AsyncStream.makeStream()
        TerminalGuard.takeOver()
        setModes(true)
        _ = adoptSize()
        sources = [
            keySource(),
            source(TerminalGuard.wakeDescriptor) { $0.readSignals() },
        ]
    }

    /// The size, at least 1 × 1.
    package var size: (columns: Int, rows: Int) {
        (max(1, Int(cn_columns())), max(1, Int(cn_rows())))
    }

    /// Shows the grid, writing only what differs.
    ///
    /// Parts that exceed the screen are cut off; places that the grid does not cover are blank.
    package func show(_ grid: Grid, theme: Theme) {
        guard phase == .open else { return }
        TerminalGuard.lendStack()
        canvas.show(grid, theme: theme)
        if asksForGround { askForGround() }
    }

    /// Asks for the color of the ground, which a terminal with a palette of 256 may answer.
    private func askForGround() {
        asksForGround = false
        guard hasModes, colors >= 256 else { return }
        decoder.awaitsGround = true
        fflush(nil)
        cn_write_all(STDOUT_FILENO, GroundReport.question, GroundReport.question.utf8.count)
    }

    /// Waits a moment for an answer that is still due, so that the shell does not get it as input.
    private func awaitGround() {
        for _ in 0..<Self.answerWaits where decoder.awaitsGround {
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&input, 1, Self.answerWait) >= 0, cn_input_waits() >= 0 else { break }
            if cn_input_waits() > 0 { readKeys() }
        }
        decoder.awaitsGround = false
    }

    /// How often, and for how many milliseconds, an answer is waited for at the end: a tenth of a
    /// second in all.
    private static let answerWaits = 10
    private static let answerWait: Int32 = 10

    /// Redraws the last frame, regardless of what is on the terminal (Ctrl-L).
    package func redraw() {
        guard phase == .open else { return }
        canvas.redraw()
    }

    /// Rings the terminal's bell.
    package func ring() {
        guard phase == .open else { return }
        beep()
    }

    /// Has the terminal show a notification.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - way: How the terminal shows it.
    package func announce(_ text: String, by way: TerminalNotification) {
        guard phase == .open, hasModes || way == .bell else { return }
        let sequence = way.sequence(for: text, isUTF8: isUTF8, inTmux: isInTmux)
        fflush(nil)
        cn_write_all(STDOUT_FILENO, sequence, sequence.utf8.count)
    }

    /// Sends a text to the terminal's clipboard (OSC 52).
    ///
    /// No terminal says whether it took the text.
    package func copy(_ copied: CopiedText) -> CopiedText.Route {
        guard phase == .open, hasModes else { return .none }
        let sequence = Clipboard.sequence(for: copied.text, inTmux: isInTmux)
        fflush(nil)
        cn_write_all(STDOUT_FILENO, sequence, sequence.utf8.count)
        return isInTmux ? .tmux : .terminal
    }

    /// Restores the terminal; further calls have no effect.
    package func close() {
        guard phase != .closed else { return }
        for source in sources { source.cancel() }
        if phase == .open { leave() }
        phase = .closed
        TerminalGuard.giveBack()
        eventSink.finish()
    }

    /// Gives the terminal to the shell, temporarily or for good.
    func leave() {
        // In the background another process controls it: the guard writes only what is safe.
        if TerminalGuard.isForeground {
            awaitGround()
            def_prog_mode()
            setModes(false)
            endwin()
            TerminalGuard.restoreModes()
            TerminalGuard.arm(false)
        }
        phase = .away
    }

    /// Adopts the size that the kernel reports; returns whether it has changed.
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

    /// Sets the program's terminal modes again and redraws the screen.
    func enter() {
        TerminalGuard.arm(true)
        reset_prog_mode()
        // Otherwise the keypad mode would only be set again when the first key is read.
        keypad(keyWindow, true)
        setModes(true)
        phase = .open
        if adoptSize() { send(.resized(columns: size.columns, rows: size.rows)) }
        redraw()
    }

    /// Asks the terminal to report its focus and the mouse, and to mark what is pasted.
    private func setModes(_ isOn: Bool) {
        guard hasModes else { return }
        let sequence =
            isOn
            ? FocusReport.on + BracketedPaste.on + (hasMouse ? MouseReport.on : "")
            : FocusReport.off + BracketedPaste.off + (hasMouse ? MouseReport.off : "")
        fflush(nil)
        cn_write_all(STDOUT_FILENO, sequence, sequence.utf8.count)
    }

    /// Reads keys, or leaves them to another program.
    ///
    /// A source that is only suspended would report later what the other program has read.
    func setReadsKeys(_ readsKeys: Bool) {
        sources[0].cancel()
        if readsKeys { sources[0] = keySource() }
    }

    private func keySource() -> any DispatchSourceRead {
        source(STDIN_FILENO) { $0.readKeys() }
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
        // Readable without any input: the terminal is gone, and would stay readable.
        if burst.isEmpty, cn_input_waits() <= 0 {
            sources.first?.cancel()
            send(.interrupted(signal: SIGHUP))
        }
    }

    /// The number of keys that are read at once, so that a large paste does not delay drawing.
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

/// An event of the terminal.
package enum TerminalEvent: Sendable, Equatable {
    case key(Key)
    /// A pasted text, without control characters.
    case pasted(String)
    /// A click or a turn of the wheel, if the terminal reports that.
    case mouse(MouseEvent)
    /// The terminal gained or lost the focus, if it reports that.
    case focus(isIn: Bool)
    /// The terminal's answer to the question for its ground.
    case ground(isLight: Bool)
    /// The size has changed, and the screen is blank until the next frame.
    case resized(columns: Int, rows: Int)
    /// The process was continued after a stop; the last frame is shown again, and time has passed.
    case resumed
    /// A signal asked the process to terminate: close, then exit with 128 + `signal`.
    case interrupted(signal: Int32)
}
