import Glibc

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
