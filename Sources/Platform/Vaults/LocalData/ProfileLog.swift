import Basics
import Client
import FoundationEssentials
import Glibc
import Model

/// A log file that the user requested, which may contain lines of several profiles.
struct ProfileLog: Sendable {
    enum ClearOutcome: Sendable, Equatable {
        /// The file was removed, or contained no lines of the profile.
        case removed
        /// The lines of other profiles are still there.
        case shortened
        /// The file was not changed, because it does not belong to this user alone.
        case left(String)
    }

    private static let sizeLimit = 256 * 1024 * 1024

    let path: String

    /// When the file was last written, or `nil` if it is not a regular file.
    var writtenAt: Date? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Date(status.st_mtim)
    }

    /// Removes the lines of a profile, and the file if nothing else is in it.
    ///
    /// The file is changed in place, because other processes may be about to append to it.
    ///
    /// - Parameters:
    ///   - profile: The profile whose lines are removed.
    ///   - keepingFile: Whether the file stays even if it is empty.
    /// - Returns: The outcome.
    func clear(of profile: String, keepingFile: Bool = false) -> ClearOutcome {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            return code == ENOENT
                ? .removed : .left(VaultProblem.cannot("open", path, code).message)
        }
        let file = Descriptor(number: descriptor)
        do {
            _ = try PrivateFolder.check(file.number, path, type: S_IFREG, forbidden: 0o077)
            let bytes = try PrivateFolder.contents(of: file.number, path, limit: Self.sizeLimit)
            let mark = Array("\"profile\":\(JSONValue.string(profile).serialized)".utf8)
            let lines = bytes.split(separator: UInt8(ascii: "\n"))
            let others = lines.filter { !Self.holds($0, mark) }
            guard keepingFile || !others.isEmpty else {
                return unlink(path) == 0
                    ? .removed : .left(VaultProblem.cannot("remove", path, errno).message)
            }
            if others.count < lines.count { try rewrite(file.number, others) }
            return .shortened
        } catch {
            return .left(error.message)
        }
    }

    private func rewrite(_ number: Int32, _ lines: [ArraySlice<UInt8>]) throws(VaultProblem) {
        let bytes = lines.flatMap { $0 + [UInt8(ascii: "\n")] }
        guard ftruncate(number, 0) == 0, lseek(number, 0, SEEK_SET) == 0 else {
            throw .cannot("write", path, errno)
        }
        try PrivateFolder.write(bytes, to: number, path)
    }

    private static func holds(_ line: ArraySlice<UInt8>, _ mark: [UInt8]) -> Bool {
        guard line.count >= mark.count else { return false }
        return line.indices.dropLast(mark.count - 1).contains { start in
            line[start] == mark[0] && line[start...].starts(with: mark)
        }
    }
}

extension Date {
    init(_ time: timespec) {
        self.init(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }
}

/// The log files that contain lines of a profile, which the user may have put anywhere, so that
/// they can be erased with its other data.
package struct LogRegister: Sendable {
    static let suffix = ".logs"
    private static let sizeLimit = 64 * 1024
    private static let countLimit = 100

    private let file: DataFile

    init(_ location: VaultLocation) {
        file = DataFile(location.stem + Self.suffix, in: location.folder)
    }

    /// The absolute paths, the newest last.
    package var paths: [String] {
        guard case .array(let values)? = file.read(limit: Self.sizeLimit) else { return [] }
        return values.compactMap(\.stringValue).filter { $0.begins(with: "/") }
    }

    /// Registers a log file.
    package func record(_ path: String) {
        guard paths.last != path else { return }
        write(paths.filter { $0 != path } + [path])
    }

    /// Replaces the registered paths.
    func write(_ paths: [String]) {
        guard !paths.isEmpty else { return file.remove() }
        file.write(.array(paths.suffix(Self.countLimit).map(JSONValue.string)))
    }
}
