import Glibc
import Platform
import UI

/// Prompts on the controlling terminal, without echo if the answer is secret.
///
/// Input without echo is read key by key: if the terminal edited the line, the shell could read it
/// when the job is stopped. While the job is stopped, and after it has ended, the terminal has its
/// original modes.
final class TerminalPrompt {
    /// The keys that end an answer besides Ctrl-D.
    private enum Ending {
        case lineBreak
        /// A line break after some text.
        case lineBreakBehindText
        case nothing
    }

    /// The maximum length of an answer, in bytes.
    private static let lineLimit = 65_536

    private let descriptor: Int32

    init?() {
        descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Returns the line that was typed, or `nil` at the end of input.
    func ask(_ question: String, isSecret: Bool) -> String? {
        let bytes = read(
            question,
            isHidden: isSecret,
            until: .lineBreak,
            limit: Self.lineLimit
        )
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads pasted text without echo.
    ///
    /// - Parameters:
    ///   - question: The prompt.
    ///   - isOneLine: Whether a line break ends the input, or only Ctrl-D.
    ///   - limit: The maximum size in bytes; the rest is not read.
    /// - Returns: The text, or `nil` if there is none.
    func paste(_ question: String, isOneLine: Bool, limit: Int) -> String? {
        let bytes = read(
            question,
            isHidden: true,
            until: isOneLine ? .lineBreakBehindText : .nothing,
            limit: limit
        )
        guard let bytes, !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns `nil` at the end of input before anything was typed.
    private func read(
        _ question: String,
        isHidden: Bool,
        until ending: Ending,
        limit: Int
    ) -> [UInt8]? {
        SignalCatcher.begin(catchesStops: true)
        defer { SignalCatcher.end() }
        waitForForeground()
        guard var modes = TerminalModes(of: descriptor, isHidden: isHidden) else { return nil }
        // First, so that the terminal is already set when the prompt is visible.
        modes.set()
        say(question)
        defer {
            modes.giveBack()
            if isHidden { say("\n") }
        }
        var answer = TypedInput(keys: modes.keys, isEdited: isHidden)
        var seen = (stops: SignalCatcher.stops, continuations: SignalCatcher.continuations)
        while answer.bytes.count < limit {
            guard SignalCatcher.waitToRead(from: descriptor) else {
                if let signal = SignalCatcher.askedToEnd {
                    modes.giveBack()
                    say("\n")
                    SignalCatcher.die(of: signal)
                }
                if SignalCatcher.stops != seen.stops {
                    modes.giveBack()
                    _ = SignalCatcher.stop()
                    waitForForeground()
                }
                if SignalCatcher.continuations != seen.continuations {
                    modes.refresh()
                    modes.set()
                    say(question)
                }
                seen = (SignalCatcher.stops, SignalCatcher.continuations)
                continue
            }
            var byte: UInt8 = 0
            let count = Glibc.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count == 1 else { return answer.bytes.isEmpty ? nil : answer.bytes }
            switch answer.take(byte) {
            case .character: break
            case .lineBreak:
                if ending == .lineBreak { return answer.bytes }
                if ending == .lineBreakBehindText, !answer.bytes.isEmpty { return answer.bytes }
                answer.bytes.append(byte)
            case .endOfInput:
                if ending == .lineBreak, !answer.bytes.isEmpty { continue }
                return answer.bytes.isEmpty ? nil : answer.bytes
            }
        }
        return answer.bytes
    }

    /// Stops the job until the shell gives it the terminal; continues if no shell can.
    private func waitForForeground() {
        while SignalCatcher.askedToEnd == nil {
            let group = tcgetpgrp(descriptor)
            guard group >= 0, group != getpgrp(), SignalCatcher.stop() else { return }
        }
    }

    private func say(_ text: String) {
        let shown = text == "\n" ? text : text.visibleInOneLine
        _ = write(descriptor, shown, shown.utf8.count)
    }
}

/// The terminal modes for input without echo, and the original ones.
private struct TerminalModes {
    private let descriptor: Int32
    private let isHidden: Bool
    private var before = termios()

    init?(of descriptor: Int32, isHidden: Bool) {
        self.descriptor = descriptor
        self.isHidden = isHidden
        guard tcgetattr(descriptor, &before) == 0 else { return nil }
    }

    /// The keys that edit a line: erase, kill, erase a word, quote.
    var keys: TypedInput.Keys {
        withUnsafeBytes(of: before.c_cc) { characters in
            TypedInput.Keys(
                erase: characters[Int(VERASE)],
                eraseWord: characters[Int(VWERASE)],
                eraseLine: characters[Int(VKILL)],
                quote: characters[Int(VLNEXT)],
                endOfInput: characters[Int(VEOF)]
            )
        }
    }

    func set() {
        guard isHidden else { return }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(descriptor, TCSAFLUSH, &silent)
    }

    func giveBack() {
        guard isHidden else { return }
        var modes = before
        tcsetattr(descriptor, TCSAFLUSH, &modes)
    }

    /// Reads the modes again, which may have changed while the job was stopped.
    mutating func refresh() {
        guard isHidden else { return }
        var present = termios()
        guard tcgetattr(descriptor, &present) == 0, present.c_lflag & tcflag_t(ECHO) != 0 else {
            return
        }
        before = present
    }
}

/// Edits a typed line where the terminal does not.
struct TypedInput {
    struct Keys {
        var erase: UInt8 = 0x7F
        var eraseWord: UInt8 = 0x17
        var eraseLine: UInt8 = 0x15
        var quote: UInt8 = 0x16
        var endOfInput: UInt8 = 0x04
    }

    enum Key {
        /// The key was part of the answer, or edited it.
        case character
        case lineBreak
        case endOfInput
    }

    let keys: Keys
    /// Whether the line is edited here.
    let isEdited: Bool
    var bytes: [UInt8] = []
    private var isQuoted = false

    init(keys: Keys, isEdited: Bool) {
        self.keys = keys
        self.isEdited = isEdited
    }

    mutating func take(_ byte: UInt8) -> Key {
        if isQuoted {
            isQuoted = false
            bytes.append(byte)
            return .character
        }
        if byte == UInt8(ascii: "\n") { return .lineBreak }
        guard isEdited, byte != 0 else {
            bytes.append(byte)
            return .character
        }
        switch byte {
        case keys.endOfInput: return .endOfInput
        case keys.quote: isQuoted = true
        case keys.erase, 0x08, 0x7F: eraseCharacter()
        case keys.eraseLine: bytes = []
        case keys.eraseWord:
            while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
            while let last = bytes.last, last > 0x20 { bytes.removeLast() }
        default: bytes.append(byte)
        }
        return .character
    }

    /// Erases the last character with all its UTF-8 bytes.
    private mutating func eraseCharacter() {
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    }
}
