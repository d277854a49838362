import Glibc

/// Whether others have a hand in what a person's command line or profile is made of.
enum FileTrust {
    /// What others may not do with it.
    enum Privacy {
        /// It names servers and programs.
        case fromWriting
        /// It holds secrets besides.
        case fromReading
    }

    /// What is wrong with an open file or folder; nil where nothing is.
    ///
    /// - Parameters:
    ///   - descriptor: Open, so that nobody swaps it meanwhile.
    ///   - path: For the words.
    ///   - privacy: What others may not do.
    ///   - type: `S_IFREG` or `S_IFDIR`.
    /// - Returns: Words that go behind the path.
    static func objection(
        to descriptor: Int32,
        at path: String,
        _ privacy: Privacy,
        type: mode_t = S_IFREG
    ) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == type else {
            return type == S_IFDIR ? "expected a folder" : "expected a file"
        }
        // What root put there is as good as the program itself.
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            return "belongs to another user; make it yours"
        }
        switch privacy {
        case .fromReading where status.st_mode & 0o077 != 0:
            return "others can read it; run: chmod 600 \(path)"
        case .fromWriting where status.st_mode & 0o022 != 0:
            return "others can write it; run: chmod go-w \(path)"
        case .fromReading, .fromWriting: return nil
        }
    }

    /// The content of an open file, at most one byte more than a limit; nil where it cannot be read.
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
