import Basics
import Client
import FoundationEssentials
import Glibc
import Model

/// A folder that only this user can change, held open so that it cannot be replaced in the
/// meantime.
///
/// Its parents are not checked: another user who can change them can deny access, but cannot create
/// a folder or a file that this user owns.
struct PrivateFolder: ~Copyable {
    let path: String
    private let descriptor: Descriptor

    /// Opens the folder, and creates it if it is missing.
    static func make(_ path: String) throws(VaultProblem) -> PrivateFolder {
        var partial = ""
        for part in path.parts(at: "/") {
            partial += "/\(part)"
            guard mkdir(partial, 0o700) == 0 || errno == EEXIST || errno == EROFS else {
                throw .cannot("make", partial, errno)
            }
        }
        guard let folder = try open(path) else { throw .cannot("open", path, ENOENT) }
        return folder
    }

    /// Opens the folder; returns `nil` if there is none.
    static func open(_ path: String) throws(VaultProblem) -> PrivateFolder? {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw .cannot("open", path, errno)
        }
        let descriptor = Descriptor(number: number)
        _ = try check(number, path, type: S_IFDIR, forbidden: 0o022)
        return PrivateFolder(path: path, descriptor: descriptor)
    }

    private init(path: String, descriptor: consuming Descriptor) {
        self.path = path
        self.descriptor = descriptor
    }

    // MARK: - Reading

    /// Returns the contents of a file, or `nil` if there is no such file.
    ///
    /// - Parameters:
    ///   - name: The name of the file in this folder.
    ///   - limit: The maximum size in bytes; a larger file was not written by authtop.
    /// - Returns: The whole contents.
    /// - Throws: If the file cannot be read, or if other users can read it.
    func read(_ name: String, limit: Int) throws(VaultProblem) -> [UInt8]? {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        guard let file = try open(name, flags) else { return nil }
        _ = try Self.check(file.number, "\(path)/\(name)", type: S_IFREG, forbidden: 0o077)
        return try Self.contents(of: file.number, "\(path)/\(name)", limit: limit)
    }

    /// Returns the contents of an open file.
    ///
    /// - Parameters:
    ///   - number: The file's descriptor.
    ///   - path: The path to name in errors.
    ///   - limit: The maximum size in bytes; a larger file was not written by authtop.
    /// - Returns: The whole contents.
    /// - Throws: If the file cannot be read, or is too large.
    static func contents(of number: Int32, _ path: String, limit: Int) throws(VaultProblem)
        -> [UInt8]
    {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .cannot("read", path, errno) }
        guard status.st_size <= limit else {
            throw VaultProblem(
                message: "\(path): \(status.st_size) bytes are more than authtop writes; "
                    + "move it away"
            )
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < bytes.count {
            let size = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(
                    number,
                    buffer.baseAddress?.advanced(by: count),
                    buffer.count - count
                )
            }
            if size < 0, errno == EINTR { continue }
            guard size >= 0 else { throw .cannot("read", path, errno) }
            if size == 0 { break }
            count += size
        }
        return Array(bytes.prefix(count))
    }

    /// Returns the identity of a file, or `nil` if there is none.
    func identity(of name: String) -> FileIdentity? {
        var status = stat()
        guard fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return nil
        }
        return FileIdentity(status)
    }

    /// Returns when a file was last written, or `nil` if there is none.
    func writtenAt(_ name: String) -> Date? {
        var status = stat()
        guard fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return nil
        }
        return Date(status.st_mtim)
    }

    /// The names of the entries, in order.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    // MARK: - Writing

    /// Replaces a file atomically: writes a temporary file, then fsync, rename, and fsync of the
    /// folder.
    ///
    /// The caller holds the lock that prevents concurrent writes.
    ///
    /// - Parameters:
    ///   - name: The name of the file in this folder.
    ///   - bytes: The new contents.
    ///   - draft: Makes the name of the temporary file unique if there is no such lock.
    ///   - announce: Called with the identity of the new file before it becomes visible.
    /// - Throws: If the file cannot be written, or might not be durable.
    func replace(
        _ name: String,
        with bytes: [UInt8],
        draft: String = "",
        announce: (FileIdentity) -> Void
    ) throws(VaultProblem) {
        let temporary = draft.isEmpty ? ".\(name).tmp" : ".\(name).\(draft).tmp"
        // The temporary file of a process that was stopped while writing.
        unlinkat(descriptor.number, temporary, 0)
        try write(bytes, to: temporary, for: name)
        if let identity = identity(of: temporary) { announce(identity) }
        guard renameat(descriptor.number, temporary, descriptor.number, name) == 0 else {
            let code = errno
            unlinkat(descriptor.number, temporary, 0)
            throw .cannot("write", "\(path)/\(name)", code)
        }
        try settle(name)
    }

    /// Overwrites a file in place, which is not atomic; for a folder in which no file can be
    /// created.
    ///
    /// - Parameters:
    ///   - name: The name of the file in this folder.
    ///   - bytes: The new contents.
    /// - Returns: `false` if the file cannot be written either, and is unchanged.
    /// - Throws: If the file was only partly written.
    func overwrite(_ name: String, with bytes: [UInt8]) throws(VaultProblem) -> Bool {
        let number = openat(descriptor.number, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return false }
        let file = Descriptor(number: number)
        _ = try Self.check(number, "\(path)/\(name)", type: S_IFREG, forbidden: 0o077)
        try Self.write(bytes, to: file.number, "\(path)/\(name)")
        guard ftruncate(file.number, bytes.count) == 0, fsync(file.number) == 0 else {
            throw .cannot("write", "\(path)/\(name)", errno)
        }
        return true
    }

    /// Does everything that replacing a file requires, except for the final rename.
    ///
    /// The caller holds the lock that prevents concurrent writes.
    ///
    /// - Parameters:
    ///   - name: The name of the file in this folder.
    ///   - size: The size of the contents that would be written, in bytes.
    /// - Throws: If the file could not be written.
    func rehearse(_ name: String, size: Int) throws(VaultProblem) {
        let temporary = ".\(name).tmp"
        unlinkat(descriptor.number, temporary, 0)
        try write([UInt8](repeating: 0, count: size), to: temporary, for: name)
        try remove(temporary)
    }

    /// Removes a file if it exists.
    func remove(_ name: String) throws(VaultProblem) {
        guard unlinkat(descriptor.number, name, 0) == 0 || errno == ENOENT else {
            throw .cannot("remove", "\(path)/\(name)", errno)
        }
        try settle(name)
    }

    /// Creates a file atomically, unless it exists.
    ///
    /// - Parameters:
    ///   - name: The name of the file in this folder.
    ///   - bytes: The contents.
    ///   - mark: Makes the name of the temporary file unique among concurrent writers.
    /// - Throws: If the file cannot be written.
    func create(_ name: String, with bytes: [UInt8], mark: String) throws(VaultProblem) {
        let temporary = ".\(name).\(mark).tmp"
        unlinkat(descriptor.number, temporary, 0)
        try write(bytes, to: temporary, for: name)
        defer { unlinkat(descriptor.number, temporary, 0) }
        guard
            linkat(descriptor.number, temporary, descriptor.number, name, 0) == 0
                || errno == EEXIST
        else { throw .cannot("write", "\(path)/\(name)", errno) }
        try settle(name)
    }

    private func write(
        _ bytes: [UInt8],
        to temporary: String,
        for name: String
    ) throws(VaultProblem) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = openat(descriptor.number, temporary, flags, 0o600)
        guard number >= 0 else { throw .cannot("write", "\(path)/\(name)", errno) }
        let file = Descriptor(number: number)
        do {
            try Self.write(bytes, to: file.number, "\(path)/\(name)")
        } catch {
            unlinkat(descriptor.number, temporary, 0)
            throw error
        }
        // Exactly this mode, regardless of the umask.
        guard fchmod(file.number, 0o600) == 0, fsync(file.number) == 0 else {
            throw discard(temporary, name, errno)
        }
    }

    /// Overwrites an open file from its current position.
    static func write(_ bytes: [UInt8], to number: Int32, _ path: String) throws(VaultProblem) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .cannot("write", path, errno) }
            rest = rest.dropFirst(count)
        }
    }

    private func discard(_ temporary: String, _ name: String, _ code: Int32) -> VaultProblem {
        unlinkat(descriptor.number, temporary, 0)
        return .cannot("write", "\(path)/\(name)", code)
    }

    /// Makes the new name durable, not only the file's contents.
    private func settle(_ name: String) throws(VaultProblem) {
        guard fsync(descriptor.number) == 0 else {
            throw .cannot("write", "\(path)/\(name)", errno)
        }
    }

    // MARK: - Locks

    /// Opens the folder again, for a lock of its own.
    func reopened() throws(VaultProblem) -> Descriptor {
        guard let again = try open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) else {
            throw .cannot("open", path, ENOENT)
        }
        return again
    }

    /// Opens a lock file, and creates it if it is missing.
    func openLock(_ name: String) throws(VaultProblem) -> Descriptor {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        if let file = try open(name, flags) {
            _ = try Self.check(file.number, "\(path)/\(name)", type: S_IFREG, forbidden: 0o022)
            return file
        }
        let number = openat(descriptor.number, name, flags | O_CREAT, 0o600)
        guard number >= 0 else { throw .cannot("make", "\(path)/\(name)", errno) }
        return Descriptor(number: number)
    }

    /// Returns whether the name still refers to the open file.
    func isCurrent(_ name: String, _ number: Int32) -> Bool {
        var here = stat()
        var there = stat()
        guard fstat(number, &here) == 0,
            fstatat(descriptor.number, name, &there, AT_SYMLINK_NOFOLLOW) == 0
        else { return false }
        return here.st_dev == there.st_dev && here.st_ino == there.st_ino
    }

    // MARK: -

    private func open(_ name: String, _ flags: Int32) throws(VaultProblem) -> Descriptor? {
        let number = openat(descriptor.number, name, flags)
        if number >= 0 { return Descriptor(number: number) }
        if errno == ENOENT { return nil }
        throw .cannot("open", "\(path)/\(name)", errno)
    }

    /// Fails unless the file or folder belongs to this user alone.
    static func check(
        _ number: Int32,
        _ path: String,
        type: mode_t,
        forbidden: mode_t
    ) throws(VaultProblem) -> stat {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .cannot("read", path, errno) }
        guard status.st_mode & S_IFMT == type else {
            let wanted = type == S_IFDIR ? "folder" : "file"
            throw VaultProblem(message: "\(path): expected a \(wanted); move it away")
        }
        guard status.st_uid == geteuid() else {
            throw VaultProblem(message: "\(path): belongs to another user; make it yours")
        }
        guard status.st_mode & forbidden == 0 else {
            let what = status.st_mode & 0o022 != 0 ? "write" : "read"
            let mode = type == S_IFDIR ? "700" : "600"
            throw VaultProblem(
                message: "\(path): others can \(what) it; run: chmod \(mode) \(path)"
            )
        }
        return status
    }
}
