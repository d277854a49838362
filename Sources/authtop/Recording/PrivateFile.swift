import Basics
import Glibc
import Platform

/// A file that a command writes as a whole, and that only its owner can read.
struct PrivateFile {
    let path: String
    /// The option that names it, for messages.
    var option: String?

    /// Finds out before a run whether the file can be written at its end.
    ///
    /// - Parameter replaces: Whether it may exist.
    /// - Throws: `CommandFailure` if its folder does not exist, or nothing can be written there, or it
    ///   exists.
    func check(replaces: Bool = false) throws(CommandFailure) {
        if access(path, F_OK) == 0 {
            guard replaces else { throw failure("it exists; name another file, or remove it") }
            guard access(path, W_OK) == 0 else { throw failure(reason) }
        } else {
            guard access(folder, W_OK | X_OK) == 0 else {
                throw failure("\(folder): \(reason)")
            }
        }
    }

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - text: The contents.
    ///   - makesFolder: Whether its folder is created as well.
    /// - Throws: `CommandFailure` if it exists, or cannot be created, or not as a whole; then there is
    ///   none.
    func create(_ text: String, makingFolder makesFolder: Bool = false) throws(CommandFailure) {
        if makesFolder { try makeFolder() }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw failure(errno == EEXIST ? "already exists, and was not changed" : reason)
        }
        defer { close(descriptor) }
        if let problem = writeAll(descriptor, text) {
            unlink(path)
            throw failure(problem.message)
        }
    }

    /// Writes the file, in place of one that is there.
    ///
    /// - Throws: `CommandFailure` if it cannot be written, or not as a whole.
    func replace(with text: String) throws(CommandFailure) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw failure(reason) }
        defer { close(descriptor) }
        let isFile = FileStatus(of: descriptor)?.isFile ?? false
        guard !isFile || fchmod(descriptor, 0o600) == 0 else { throw failure(reason) }
        if let problem = writeAll(descriptor, text) { throw failure(problem.message) }
    }

    /// Finds out before a run whether the file can be replaced by `exchange`.
    ///
    /// - Throws: `CommandFailure` if its folder does not exist, or nothing can be written there, or if
    ///   it is anything but a file: a symbolic link would be replaced, and not what it leads to.
    func checkExchange() throws(CommandFailure) {
        guard access(folder, W_OK | X_OK) == 0 else { throw failure("\(folder): \(reason)") }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return
            case ELOOP: throw failure("expected a file, or none: a link is not replaced")
            default: throw failure(reason)
            }
        }
        defer { close(descriptor) }
        guard FileStatus(of: descriptor)?.isFile == true else {
            throw failure("expected a file, or none: a folder or a device is not replaced")
        }
    }

    /// Puts a new file in its place at once, so that a reader finds the old one or the new one, whole.
    ///
    /// - Throws: `CommandFailure` if it cannot be written; the old one stays.
    func exchange(for text: String) throws(CommandFailure) {
        var template = Array("\(folder)/.authtop-XXXXXX".utf8CString)
        // Of mode 0600.
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure(reason) }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var problem = writeAll(descriptor, text)?.message
        if problem == nil, fsync(descriptor) != 0 || rename(template, path) != 0 {
            problem = reason
        }
        guard let problem else { return }
        unlink(template)
        throw failure(problem)
    }

    /// Removes the file, if it is there.
    func remove() { unlink(path) }

    private var folder: String {
        let parts = path.parts(at: "/", keepsEmpty: true).dropLast()
        guard !parts.isEmpty else { return "." }
        let joined = parts.joined(separator: "/")
        return joined.isEmpty ? "/" : joined
    }

    private func makeFolder() throws(CommandFailure) {
        var partial = path.begins(with: "/") ? "" : "."
        for part in path.parts(at: "/").dropLast() {
            partial += "/\(part)"
            guard mkdir(partial, 0o700) == 0 || errno == EEXIST else {
                throw CommandFailure(.badInput, "\(partial): \(reason)")
            }
        }
    }

    private func failure(_ message: String) -> CommandFailure {
        CommandFailure(.badInput, (option.map { "\($0) " } ?? "") + "\(path): \(message)")
    }

    private var reason: String { String(cString: strerror(errno)) }
}
