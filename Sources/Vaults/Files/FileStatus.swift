import Glibc

/// An open file or folder; closed when it goes away.
struct Descriptor: ~Copyable {
    let number: Int32

    deinit { close(number) }
}

/// What the system says of an open file or folder.
///
/// The fields of `stat` themselves cannot be named in a target that sees Foundation, once Swift is
/// linked statically: there they are another module's.
package struct FileStatus: Sendable {
    package let isFile: Bool
    package let isFolder: Bool
    /// The user's number.
    package let owner: UInt32
    /// The bits of `chmod`, 0…0o7777.
    package let mode: UInt32

    /// `nil` when nothing is open there.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        isFile = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        owner = status.st_uid
        mode = status.st_mode & 0o7777
    }
}

/// Tells one version of a file from the next: each write makes a new file.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt
    private let number: UInt
    private let seconds: Int
    private let nanoseconds: Int

    init(_ status: stat) {
        device = status.st_dev
        number = status.st_ino
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
