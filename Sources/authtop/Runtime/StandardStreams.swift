import Dashboard
import Glibc

/// Messages and errors, with invisible characters made visible.
enum StandardError {
    static func write(_ line: String) {
        _ = writeAll(STDERR_FILENO, line.visible + "\n")
    }
}

/// Results, with invisible characters made visible, unless they are JSON or TOML.
enum StandardOutput {
    /// - Returns: `false` if the output was closed.
    static func write(_ line: String) -> Bool {
        writeAll(STDOUT_FILENO, line.visible + "\n")
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

enum StandardInput {
    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Reopens stdin as the terminal, for a screen whose stdin was a pipe.
    static func becomeTerminal() {
        let descriptor = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        dup2(descriptor, STDIN_FILENO)
        close(descriptor)
    }
}

enum ProgramExit {
    static func leave(_ code: Int32) -> Never {
        fflush(nil)
        exit(code)
    }
}

/// Writes at once, since `print` to a pipe would buffer the line.
private func writeAll(_ descriptor: Int32, _ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(
                descriptor,
                UnsafeBufferPointer(rebasing: rest).baseAddress,
                rest.count
            )
            if written < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&wait, 1, 1000)
                    continue
                }
                return false
            }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
