package import FoundationEssentials
import Glibc
import Lifecycle
import Tokens

/// A log that a person asked for, in which there may be lines of several profiles.
package struct ProfileLog: Sendable {
    package enum ClearOutcome: Sendable, Equatable {
        /// There is nothing left in it, or was nothing of it.
        case removed
        /// The lines of others are still there.
        case shortened
        /// It was not touched, for it is no file of this user's alone.
        case left(String)
    }

    private static let sizeLimit = 256 * 1024 * 1024

    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// When something was last written there, or `nil` if it is no file.
    package var writtenAt: Date? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Date(status.st_mtim)
    }

    /// Takes the lines of a profile out, and the file with them where nothing else is in it.
    ///
    /// It is changed where it is, because others may be about to append to it.
    ///
    /// - Parameters:
    ///   - profile: Whose lines.
    ///   - keepingFile: Whether the file stays even when nothing is in it.
    /// - Returns: What became of it.
    package func clear(of profile: String, keepingFile: Bool = false) -> ClearOutcome {
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

/// Which logs have been written of a profile: a person puts them anywhere, and may want them gone
/// with the rest.
package struct LogRegister: Sendable {
    static let suffix = ".logs"
    private static let sizeLimit = 64 * 1024
    private static let countLimit = 100

    private let file: DataFile

    package init(_ location: VaultLocation) {
        file = DataFile(location.stem + Self.suffix, in: location.folder)
    }

    /// Absolute, the newest last.
    package var paths: [String] {
        guard case .array(let values)? = file.read(limit: Self.sizeLimit) else { return [] }
        return values.compactMap(\.stringValue).filter { $0.hasPrefix("/") }
    }

    /// Remembers a log.
    package func note(_ path: String) {
        guard paths.last != path else { return }
        write(paths.filter { $0 != path } + [path])
    }

    /// Remembers these and no others.
    package func write(_ paths: [String]) {
        guard !paths.isEmpty else { return file.remove() }
        file.write(.array(paths.suffix(Self.countLimit).map(JSONValue.string)))
    }
}
