import Glibc

/// Where a person gives tokens: a file of their own, a pipe, or the terminal without an echo.
struct ImportSource {
    /// In bytes.
    let limit: Int

    /// Reads a 0600 file.
    func text(ofFile path: String) throws -> String {
        try CredentialFile(path: path).contents(limit: limit)
    }

    /// Reads stdin to its end, or asks on the terminal.
    ///
    /// - Parameters:
    ///   - question: For the terminal.
    ///   - isOneLine: Whether a line break ends what is pasted there, or only Ctrl-D.
    /// - Returns: All of it.
    /// - Throws: `CommandFailure` where it is too much, or cannot be read.
    func textOfInput(asking question: String, isOneLine: Bool) throws -> String {
        guard StandardInput.isTerminal else { return try piped() }
        guard let prompt = TerminalPrompt(),
            let text = prompt.paste(question, isOneLine: isOneLine, limit: limit)
        else { throw CommandFailure(.badInput, "nothing was given") }
        return text
    }

    private func piped() throws -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = read(STDIN_FILENO, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(.badInput, "stdin: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part.prefix(count)
        }
        throw CommandFailure(.badInput, "stdin: over \(limit / 1024) KiB, expected a few lines")
    }
}
