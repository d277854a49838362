import Glibc

/// Asks on the controlling terminal, without an echo where the answer is a secret.
final class TerminalPrompt {
    private let descriptor: Int32

    init?() {
        descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// The line that was typed; nil at the end of input.
    func ask(_ question: String, isSecret: Bool) -> String? {
        say(question)
        var before = termios()
        guard tcgetattr(descriptor, &before) == 0 else { return nil }
        if isSecret {
            var silent = before
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(descriptor, TCSAFLUSH, &silent)
        }
        defer {
            if isSecret {
                tcsetattr(descriptor, TCSAFLUSH, &before)
                say("\n")
            }
        }
        return readLine()
    }

    /// Text that is pasted, of any length and without an echo.
    ///
    /// - Parameters:
    ///   - question: Said first.
    ///   - isOneLine: Whether a line break ends it, or only Ctrl-D.
    ///   - limit: In bytes; the rest is left.
    /// - Returns: Nil where there is none.
    func paste(_ question: String, isOneLine: Bool, limit: Int) -> String? {
        say(question)
        var before = termios()
        guard tcgetattr(descriptor, &before) == 0 else { return nil }
        // A line of the terminal's own editing has at most 4095 bytes.
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON)
        tcsetattr(descriptor, TCSAFLUSH, &silent)
        defer {
            tcsetattr(descriptor, TCSAFLUSH, &before)
            say("\n")
        }
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < limit {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != 4 else { break }
            if isOneLine, byte == UInt8(ascii: "\n"), !bytes.isEmpty { break }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private func readLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < 65_536 {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func say(_ text: String) {
        _ = write(descriptor, text, text.utf8.count)
    }
}
