import Basics
import Glibc
import Platform
import Profiles

/// Checks whether other users can access a file that a command line or a profile names.
enum FileTrust {
    /// The access to a file that other users must not have.
    enum Privacy {
        /// Write it, since it names servers and programs.
        case fromWriting
        /// Read it either, since it also contains secrets.
        case fromReading
    }

    /// Returns what is wrong with an open file or folder, or `nil` if nothing is.
    ///
    /// - Parameters:
    ///   - descriptor: The open file, which cannot be replaced in the meantime.
    ///   - path: The path to name in errors.
    ///   - privacy: The access that other users must not have.
    ///   - isFolder: Whether it must be a folder, not a file.
    /// - Returns: A message to append to the path.
    static func objection(
        to descriptor: Int32,
        at path: String,
        _ privacy: Privacy,
        isFolder: Bool = false
    ) -> String? {
        guard let status = FileStatus(of: descriptor),
            isFolder ? status.isFolder : status.isFile
        else { return isFolder ? "expected a folder" : "expected a file" }
        // Files of root are as trustworthy as the program itself.
        guard status.owner == geteuid() || status.owner == 0 else {
            return "belongs to another user; make it yours"
        }
        switch privacy {
        case .fromReading where status.mode & 0o077 != 0:
            return "others can read it; run: chmod 600 \(path)"
        case .fromWriting where status.mode & 0o022 != 0:
            return "others can write it; run: chmod go-w \(path)"
        case .fromReading, .fromWriting: return nil
        }
    }

    /// Returns the text of a TOML file that other users cannot write.
    ///
    /// A symbolic link is followed, since users may keep their files elsewhere; its target must
    /// belong to this user.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - expected: The kind of the file, for the error about its size.
    /// - Returns: The text.
    /// - Throws: `DialectError` if it cannot be read, or not be trusted.
    static func text(ofFile path: String, expected: String) throws(DialectError) -> String {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw DialectError(file: path, found: "expected a readable file")
        }
        defer { close(descriptor) }
        if let message = objection(to: descriptor, at: path, .fromWriting) {
            throw DialectError(file: path, found: message)
        }
        guard let data = contents(of: descriptor, limit: TOMLReader.sizeLimit) else {
            throw DialectError(file: path, found: "expected a readable file")
        }
        guard data.count <= TOMLReader.sizeLimit else {
            let size = TOMLReader.sizeLimit / 1024
            throw DialectError(file: path, found: "over \(size) KiB, expected \(expected)")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw DialectError(file: path, found: "expected UTF-8 text")
        }
        return text
    }

    /// Returns the contents of an open file, at most one byte more than the limit, or `nil` if it
    /// cannot be read.
    static func contents(of descriptor: Int32, limit: Int) -> [UInt8]? {
        var status = stat()
        let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            // One more, so that mostly the second call finds the end.
            let room = min(limit + 1 - bytes.count, max(size - bytes.count + 1, leastRoom))
            var count = 0
            let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
                count = read(descriptor, buffer.baseAddress, room)
                filled = max(count, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += part
        }
        return bytes
    }

    /// The fewest bytes that are read at once, for files that do not state their size.
    private static let leastRoom = 512
}
