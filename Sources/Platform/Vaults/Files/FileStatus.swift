import Glibc

/// An open file or folder, which is closed when the value is destroyed.
struct Descriptor: ~Copyable {
    let number: Int32

    deinit { close(number) }
}

/// The status of an open file or folder.
///
/// The fields of `stat` cannot be used directly: in a statically linked build that imports
/// Foundation, they belong to another module.
package struct FileStatus: Sendable {
    package let isFile: Bool
    package let isFolder: Bool
    /// The user ID of the owner.
    package let owner: UInt32
    /// The permission bits of `chmod`, 0…0o7777.
    package let mode: UInt32

    /// Reads the status; `nil` if the descriptor is not open.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Reads the status of what a path leads to; `nil` if there is nothing.
    init?(atPath path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        isFile = status.st_mode & S_IFMT == S_IFREG
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        owner = status.st_uid
        mode = status.st_mode & 0o7777
    }
}

/// Identifies a version of a file: each write creates a new file.
struct FileIdentity: Sendable, Hashable {
    private let device: UInt
    private let number: UInt
    private let seconds: Int
    private let nanoseconds: Int
    /// In bytes.
    let size: Int

    /// Reads the identity of an open file.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// When the contents were written last, in seconds since 1970.
    var modified: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

    init(_ status: stat) {
        size = Int(status.st_size)
        device = status.st_dev
        number = status.st_ino
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
