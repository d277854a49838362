import Foundation
import Glibc
import TestSupport

/// A terminal with a shell in it: a tmux server that no other program uses.
final class Terminal: Stoppable {
    struct Failure: Error {
        let command: String
        let message: String
    }

    /// Where its shell begins.
    let folder: String
    private let environment: [String: String]

    /// Opens one, and waits for the shell's prompt: `[0]>`, with the last command's exit code.
    init(in bench: Bench, columns: Int, rows: Int, variables: [String: String]) async throws {
        folder = bench.home
        environment = bench.environment.merging(variables) { $1 }
        let setUp = """
            PS1='[$?]> '
            unset HISTFILE
            PROMPT_COMMAND='stty -a >terminal-settings'
            alias authtop='\(Authtop.path)'
            bind 'set enable-bracketed-paste off'
            cd '\(folder)'
            """
        try setUp.write(toFile: folder + "/bashrc", atomically: true, encoding: .utf8)
        let size = ["-x", "\(columns)", "-y", "\(rows)"]
        let shell = "bash --noprofile --rcfile '\(folder)/bashrc' -i"
        try await tmux(
            ["start-server", ";", "set-option", "-g", "default-terminal", "screen-256color", ";"]
                + ["new-session", "-d"] + size + [shell]
        )
        try await seePrompt(after: 0)
    }

    /// A line to the shell, or an answer to a question.
    func enter(_ line: String) async throws {
        try await type(line)
        try await press("Enter")
    }

    /// Text, letter by letter, as it is.
    func type(_ text: String) async throws {
        try await tmux("send-keys", "-t", "%0", "-l", text)
    }

    /// Keys by tmux's names: `q`, `Space`, `C-c`, `BTab`.
    func press(_ keys: String...) async throws {
        for key in keys { try await tmux("send-keys", "-t", "%0", key) }
    }

    /// Escape, until what it closes is gone: read together, it and a letter are the letter with
    /// Alt.
    func escape(from text: String) async throws {
        try await press("Escape")
        try await seeNo(text)
    }

    /// Text as the terminal pastes it: marked, if the program asked for that.
    func paste(_ text: String) async throws {
        try await tmux("set-buffer", text)
        try await tmux("paste-buffer", "-p", "-t", "%0")
    }

    func resize(columns: Int, rows: Int) async throws {
        try await tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// Has programs told of the focus, and opens another window for it to go to.
    ///
    /// Only a client has a focus: this one runs in a terminal of another server, which ends with
    /// it.
    func reportFocus() async throws {
        try await tmux("set-option", "-g", "focus-events", "on")
        try await tmux("new-window", "-d", "-n", "other", "sleep 600")
        let size = try await tmux(
            "display-message",
            "-t",
            "%0",
            "-p",
            "#{window_width} #{window_height}"
        )
        let sides = size.joined().split(separator: " ").compactMap { Int($0) }
        guard sides.count == 2 else { throw Failure(command: "size", message: size.joined()) }
        // Either server has a line of its own.
        let outer = ["-x", "\(sides[0])", "-y", "\(sides[1] + 2)"]
        try await tmux(
            ["new-session", "-d"] + outer
                + ["env -u TMUX tmux -S '\(folder)/tmux' attach-session"],
            socket: "outer"
        )
        try await eventually("a client") { try await !tmux("list-clients").isEmpty }
    }

    /// Whether it is what a user looks at.
    func setForeground(_ isForeground: Bool) async throws {
        try await tmux("select-window", "-t", isForeground ? ":0" : ":other")
    }

    /// Whether a program has rung since it was looked at.
    var hasRung: Bool {
        get async throws {
            try await tmux("display-message", "-t", "%0", "-p", "#{window_bell_flag}") == ["1"]
        }
    }

    /// Has it take what programs put on its clipboard.
    func acceptClipboard() async throws {
        try await tmux("set-option", "-s", "set-clipboard", "on")
    }

    /// The lines that a program put on its clipboard.
    var clipboard: [String] {
        get async throws { try await tmux("show-buffer") }
    }

    /// The lines on it, without the blanks at their ends.
    var lines: [String] {
        get async throws { try await tmux("capture-pane", "-t", "%0", "-p") }
    }

    /// Everything that stands on it, or has stood above.
    var history: String {
        get async throws {
            try await tmux("capture-pane", "-t", "%0", "-p", "-S", "-").joined(separator: "\n")
        }
    }

    /// The modes that a full-screen program changes.
    var modes: String {
        get async throws {
            let names = [
                "alternate_on", "cursor_flag", "insert_flag", "keypad_cursor_flag", "keypad_flag",
                "mouse_any_flag", "origin_flag", "scroll_region_upper", "wrap_flag",
            ]
            let format = names.map { "\($0)=#{\($0)}" }.joined(separator: " ")
            return try await tmux("display-message", "-t", "%0", "-p", format).joined()
        }
    }

    /// Writes to it behind the program's back.
    func scribble(_ text: String) async throws {
        let descriptor = try await openDevice()
        defer { close(descriptor) }
        _ = write(descriptor, text, text.utf8.count)
    }

    /// Tells the program, one right after the other, that it has other sizes.
    func announce(_ sizes: [(columns: UInt16, rows: UInt16)]) async throws {
        let descriptor = try await openDevice()
        defer { close(descriptor) }
        for (columns, rows) in sizes {
            var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
        }
    }

    private func openDevice() async throws -> Int32 {
        let path = try await tmux("display-message", "-t", "%0", "-p", "#{pane_tty}").joined()
        let descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(command: "open", message: path) }
        return descriptor
    }

    /// `stty -a`, as it was at the shell's last prompt.
    var settings: String {
        get throws { try String(contentsOfFile: folder + "/terminal-settings", encoding: .utf8) }
    }

    /// The program that the shell runs.
    var pid: pid_t {
        get async throws {
            guard let pid = try await children.first else {
                throw Failure(command: "children of the shell", message: "none")
            }
            return pid
        }
    }

    /// The programs that the shell has started, and that have not ended since.
    private var children: [pid_t] {
        get async throws {
            let shell = try await tmux("display-message", "-t", "%0", "-p", "#{pane_pid}").joined()
            let path = "/proc/\(shell)/task/\(shell)/children"
            return try String(contentsOfFile: path, encoding: .utf8)
                .split(separator: " ").compactMap { pid_t($0) }
        }
    }

    /// Waits until the shell runs a program of this name, so that it and no other gets what is
    /// typed.
    func seeRunning(_ name: String) async throws {
        try await eventually("\(name) under the shell") {
            try await children.contains { child in
                let comm = try? String(contentsOfFile: "/proc/\(child)/comm", encoding: .utf8)
                return comm == "\(name)\n"
            }
        }
    }

    /// Waits until the whole screen is as it has to be.
    @discardableResult
    func see(
        _ what: String,
        within limit: Duration = .seconds(180),
        where matches: ([String]) -> Bool
    ) async throws -> [String] {
        var last: [String] = []
        return try await eventually(
            what,
            within: limit,
            every: .milliseconds(100),
            evidence: { last.filter { !$0.isEmpty }.joined(separator: "\n") }
        ) {
            last = try await lines
            return matches(last) ? last : nil
        }
    }

    /// Waits until every one of these texts stands on the screen at the same time.
    ///
    /// A frame reaches the terminal in pieces: what one text proves to be there says nothing of
    /// the lines below it.
    @discardableResult
    func see(_ texts: String..., within limit: Duration = .seconds(180)) async throws -> [String] {
        let wanted = texts.map { "“\($0)”" }.joined(separator: " and ")
        return try await see(wanted, within: limit) { screen in
            texts.allSatisfy { text in screen.contains { $0.contains(text) } }
        }
    }

    /// Waits until the shell asks for the next command.
    ///
    /// - Parameter code: With which the last one ended.
    /// - Returns: The screen.
    /// - Throws: `NeverCame`.
    @discardableResult
    func seePrompt(after code: Int32) async throws -> [String] {
        try await see("a prompt after \(code)") { screen in
            screen.last { !$0.isEmpty } == "[\(code)]>"
        }
    }

    /// Waits until a question stands last, and what is typed is not shown any more.
    ///
    /// It is asked a moment before the terminal is set, and what is typed before that is dropped.
    func seeHidden(_ question: String) async throws {
        try await see("“\(question)” last") { screen in
            screen.last { !$0.isEmpty }?.contains(question) == true
        }
        try await seeEchoOff()
    }

    /// Waits until the terminal does not show what is typed.
    func seeEchoOff() async throws {
        try await eventually("a terminal without an echo") {
            let descriptor = try await openDevice()
            defer { close(descriptor) }
            var modes = termios()
            return tcgetattr(descriptor, &modes) == 0 && modes.c_lflag & tcflag_t(ECHO) == 0
        }
    }

    /// Waits until what was typed has been read: the stop of a job drops the rest.
    func seeInputRead() async throws {
        try await eventually("everything that was typed to be read") {
            // A request to tmux comes after the keys that it was given to type.
            let descriptor = try await openDevice()
            defer { close(descriptor) }
            var unread: Int32 = 0
            return ioctl(descriptor, UInt(FIONREAD), &unread) == 0 && unread == 0
        }
    }

    /// Waits until a generation is shown that is this one or a later one.
    func seeGeneration(atLeast least: Int) async throws {
        try await see("generation \(least) or a later one") { screen in
            screen.contains { line in
                let words = line.split(separator: " ").drop { $0 != "generation" }
                return (words.dropFirst().first.flatMap { Int($0) } ?? 0) >= least
            }
        }
    }

    /// Waits until a text stands on the screen no more.
    @discardableResult
    func seeNo(_ text: String) async throws -> [String] {
        try await see("no “\(text)”") { !$0.contains { $0.contains(text) } }
    }

    /// The passphrase that `setPassphrase` sets.
    static let passphrase = "correct-horse-battery"

    /// Sets the passphrase that unlocks a screen, and leaves a prompt alone on the terminal.
    func setPassphrase() async throws {
        try await enter("authtop lock --passphrase")
        try await seeHidden("New passphrase:")
        try await enter(Self.passphrase)
        try await seeHidden("Once more:")
        try await enter(Self.passphrase)
        try await see("the passphrase is set")
        try await enter("clear")
        try await see("a screen with a prompt alone") { screen in
            screen.filter { !$0.isEmpty } == ["[0]>"]
        }
    }

    func stop() async {
        _ = try? await tmux("kill-server")
    }

    @discardableResult
    private func tmux(_ arguments: String...) async throws -> [String] {
        try await tmux(arguments)
    }

    @discardableResult
    private func tmux(
        _ arguments: [String],
        socket: String = "tmux"
    ) async throws -> [String] {
        let program = try Program(
            "/usr/bin/env",
            ["tmux", "-S", "\(folder)/\(socket)", "-f", "/dev/null"] + arguments,
            environment: environment
        )
        guard try await program.ended() == .exit(0) else {
            throw Failure(command: arguments.joined(separator: " "), message: program.errors.text)
        }
        return program.output.lines
    }
}

extension Bench {
    func terminal(
        columns: Int = 120,
        rows: Int = 40,
        with variables: [String: String] = [:]
    ) async throws -> Terminal {
        keep(
            try await Terminal(in: self, columns: columns, rows: rows, variables: variables)
        )
    }
}
