import Glibc
import Tokens

/// A file of `name = value` lines that only its owner can read.
struct CredentialFile {
    static let sizeLimit = 64 * 1024
    let path: String

    func read() throws -> [String: Secret] {
        let text = try contents()
        var found: [String: Secret] = [:]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let trimmed = line.trimmed
            if trimmed.isEmpty || trimmed.hasPrefix("#") { continue }
            guard let equals = trimmed.firstIndex(of: "=") else {
                throw CommandFailure(
                    .badInput,
                    "\(path):\(index + 1): expected a line such as password = …"
                )
            }
            let name = String(trimmed[..<equals]).trimmed
            let value = String(trimmed[trimmed.index(after: equals)...]).trimmed
            found[name] = Secret(value.unquoted)
        }
        return found
    }

    /// Returns the text of a file that only its owner can read.
    ///
    /// - Parameter limit: The maximum size in bytes.
    /// - Returns: The whole text.
    /// - Throws: `CommandFailure`, with the command that makes the file private.
    func contents(limit: Int = sizeLimit) throws -> String {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let message = errno == ELOOP ? "a symbolic link" : String(cString: strerror(errno))
            throw CommandFailure(.badInput, "\(path): \(message)")
        }
        defer { close(descriptor) }
        if let message = FileTrust.objection(to: descriptor, at: path, .fromReading) {
            throw CommandFailure(.badInput, "\(path): \(message)")
        }
        guard let bytes = FileTrust.contents(of: descriptor, limit: limit) else {
            throw CommandFailure(.badInput, "\(path): \(String(cString: strerror(errno)))")
        }
        guard bytes.count <= limit else {
            let size = "\(limit / 1024) KiB"
            throw CommandFailure(.badInput, "\(path): over \(size), expected a few lines")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The text without whitespace at its ends.
    fileprivate var trimmed: String {
        let blanks: Set<Character> = [" ", "\t", "\r"]
        let start = drop { blanks.contains($0) }
        return String(start.reversed().drop { blanks.contains($0) }.reversed())
    }

    /// The text without a pair of quotes around it.
    fileprivate var unquoted: String {
        guard count >= 2, let first, first == last, first == "\"" || first == "'" else {
            return String(self)
        }
        return String(dropFirst().dropLast())
    }
}
