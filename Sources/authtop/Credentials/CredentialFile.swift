import Basics
import Glibc

/// A file of `name = value` lines that only its owner can read.
struct CredentialFile {
    static let sizeLimit = 64 * 1024
    let path: String

    /// Reads its values.
    ///
    /// - Parameter known: The names that it may have.
    /// - Returns: The values by their names.
    /// - Throws: `CommandFailure` with the line that is not as expected.
    func read(naming known: [String]) throws -> [String: Secret] {
        let text = try exactContents()
        var found: [String: Secret] = [:]
        // The byte order mark, and the CR before each LF, are those of Windows editors.
        let lines = (text.part(after: "\u{FEFF}") ?? text[...]).parts(at: "\n", keepsEmpty: true)
        for (index, line) in lines.enumerated() {
            let trimmed = line.trimmed
            if trimmed.isEmpty || trimmed.begins(with: "#") { continue }
            guard let (name, value) = trimmed.halves(at: "=") else {
                throw CommandFailure(
                    .badInput,
                    "\(path):\(index + 1): expected a line such as password = …"
                )
            }
            guard known.contains(String(name.trimmed)) else {
                throw CommandFailure(
                    .badInput,
                    "\(path):\(index + 1): unknown credential \"\(name.trimmed)\", expected "
                        + (known.isEmpty ? "none" : known.joined(separator: ", "))
                )
            }
            found[String(name.trimmed)] = Secret(String(value.trimmed.unquoted))
        }
        return found
    }

    /// Returns the text of a file that only its owner can read.
    ///
    /// - Parameter limit: The maximum size in bytes.
    /// - Returns: The whole text.
    /// - Throws: `CommandFailure`, with the command that makes the file private.
    func contents(limit: Int = sizeLimit) throws -> String {
        String(decoding: try bytes(limit: limit), as: UTF8.self)
    }

    /// Returns the text of a file with passwords, of which none may become another one.
    ///
    /// - Parameter limit: The maximum size in bytes.
    /// - Returns: The whole text.
    /// - Throws: `CommandFailure`, also if the file is not in UTF-8.
    func exactContents(limit: Int = sizeLimit) throws -> String {
        guard let text = String(validating: try bytes(limit: limit), as: UTF8.self) else {
            throw CommandFailure(.badInput, "\(path): not in UTF-8")
        }
        return text
    }

    private func bytes(limit: Int) throws -> [UInt8] {
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
            throw CommandFailure(.badInput, "\(path): over \(limit / 1024) KiB")
        }
        return bytes
    }
}

extension Substring {
    /// The text without whitespace at its ends.
    fileprivate var trimmed: Substring { trimming { " \t\r".utf8.contains($0) } }

    /// The text without a pair of quotes around it.
    fileprivate var unquoted: Substring {
        guard utf8.count >= 2 else { return self }
        return part(after: "\"")?.part(upTo: "\"") ?? part(after: "'")?.part(upTo: "'") ?? self
    }
}
