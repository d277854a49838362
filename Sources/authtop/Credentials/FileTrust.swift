import Glibc
import Vaults

/// Whether others have a hand in what a person's command line or profile is made of.
enum FileTrust {
    /// What others may not do with it.
    enum Privacy {
        /// It names servers and programs.
        case fromWriting
        /// It holds secrets besides.
        case fromReading
    }

    /// What is wrong with an open file or folder, or `nil` if nothing is.
    ///
    /// - Parameters:
    ///   - descriptor: Open, so that nobody swaps it meanwhile.
    ///   - path: For the words.
    ///   - privacy: What others may not do.
    ///   - isFolder: Whether it is to be a folder, not a file.
    /// - Returns: Words that go behind the path.
    static func objection(
        to descriptor: Int32,
        at path: String,
        _ privacy: Privacy,
        isFolder: Bool = false
    ) -> String? {
        guard let status = FileStatus(of: descriptor),
            isFolder ? status.isFolder : status.isFile
        else { return isFolder ? "expected a folder" : "expected a file" }
        // What root put there is as good as the program itself.
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

    /// The content of an open file, at most one byte more than a limit, or `nil` if it cannot be
    /// read.
    static func contents(of descriptor: Int32, limit: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let size = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if size < 0, errno == EINTR { continue }
            guard size >= 0 else { return nil }
            if size == 0 { break }
            count += size
        }
        return Array(bytes.prefix(count))
    }
}
