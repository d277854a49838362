import Glibc

/// 32 random bytes in a 0600 file, so that fingerprints are the same from run to run and mean
/// nothing elsewhere.
struct InstallSalt {
    static let size = 32
    let folder: String
    /// The bytes to keep where there are none yet.
    let fresh: [UInt8]

    private var path: String { folder + "/salt" }

    /// Nil when the file can neither be read nor made.
    func read() -> [UInt8]? {
        if let salt = load() { return salt }
        guard makeFolder() else { return nil }
        create()
        return load()
    }

    private func load() -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.size)
        guard Glibc.read(descriptor, &bytes, Self.size) == Self.size else { return nil }
        return bytes
    }

    /// Whole at once, also where this process is stopped meanwhile or the disk is full: half a salt
    /// would be there for ever.
    ///
    /// Whoever comes first wins; the others read what it wrote.
    private func create() {
        let draft = "\(path).\(getpid())"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { unlink(draft) }
        let count = write(descriptor, fresh, fresh.count)
        close(descriptor)
        guard count == fresh.count else { return }
        _ = isCutShort ? rename(draft, path) : link(draft, path)
    }

    /// Whether a file is there that an earlier version was stopped while writing.
    private var isCutShort: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_size < Self.size
    }

    private func makeFolder() -> Bool {
        var partial = ""
        for part in folder.split(separator: "/") {
            partial += "/\(part)"
            if mkdir(partial, 0o700) != 0, errno != EEXIST { return false }
        }
        return true
    }
}
