import Dashboard
import Glibc
import Vaults

/// Asks on the controlling terminal, without an echo where the answer is a secret.
///
/// What is typed without an echo is taken key by key: a line that the terminal has begun to edit
/// would be the shell's to read once the job is stopped. While it is stopped, and when it is ended,
/// the terminal is as it was before.
final class TerminalPrompt {
    /// What ends an answer besides Ctrl-D.
    private enum Ending {
        case lineBreak
        /// A line break behind something.
        case lineBreakBehindText
        case nothing
    }

    /// The longest answer, in bytes.
    private static let lineLimit = 65_536

    private let descriptor: Int32

    init?() {
        descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// The line that was typed; `nil` at the end of input.
    func ask(_ question: String, isSecret: Bool) -> String? {
        let bytes = read(
            question,
            isHidden: isSecret,
            until: .lineBreak,
            limit: Self.lineLimit
        )
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Text that is pasted, of any length and without an echo.
    ///
    /// - Parameters:
    ///   - question: Said first.
    ///   - isOneLine: Whether a line break ends it, or only Ctrl-D.
    ///   - limit: In bytes; the rest is left.
    /// - Returns: Nil where there is none.
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

    /// Nil at the end of input before anything was typed.
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
        // First: who answers a question that is read has the terminal set for it.
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

    /// Stops the job until the shell gives it the terminal; where no shell could, it goes on.
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

/// How the terminal is set while nobody may see what is typed, and how it was before.
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

    /// Somebody else may have changed them while the job was stopped.
    mutating func refresh() {
        guard isHidden else { return }
        var present = termios()
        guard tcgetattr(descriptor, &present) == 0, present.c_lflag & tcflag_t(ECHO) != 0 else {
            return
        }
        before = present
    }
}

/// A line that is typed where the terminal does not edit it.
struct TypedInput {
    struct Keys {
        var erase: UInt8 = 0x7F
        var eraseWord: UInt8 = 0x17
        var eraseLine: UInt8 = 0x15
        var quote: UInt8 = 0x16
        var endOfInput: UInt8 = 0x04
    }

    enum Key {
        /// It is part of the answer, or has changed it.
        case character
        case lineBreak
        case endOfInput
    }

    let keys: Keys
    /// Whether nobody else edits it.
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

    /// With all of its bytes in UTF-8.
    private mutating func eraseCharacter() {
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    }
}
