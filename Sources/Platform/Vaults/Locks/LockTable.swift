import Basics

/// The locks of all processes of this machine, as `/proc/locks` lists them (`proc_locks(5)`).
struct LockTable {
    private let text: String

    /// - Parameter text: The content of the file.
    init(_ text: String) {
        self.text = text
    }

    /// Finds the process that has locked a file by `flock`; one that waits for the lock is not meant.
    ///
    /// - Parameters:
    ///   - device: The number of the file's device, as `stat` has it.
    ///   - file: The number of its inode.
    /// - Returns: The id of the process, or `nil` if none is listed.
    func holder(device: UInt64, file: UInt64) -> Int? {
        // As glibc's `gnu_dev_major` and `gnu_dev_minor`, which are macros.
        let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
        let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
        for line in text.parts(at: "\n") {
            // 1: FLOCK  ADVISORY  WRITE 28666 fe:00:16220396 0 EOF
            let fields = line.parts(at: " ")
            guard fields.count >= 6, fields[1].isEqualIgnoringCase("FLOCK") else { continue }
            let place = fields[5].parts(at: ":")
            guard place.count == 3, UInt64(place[0], radix: 16) == major,
                UInt64(place[1], radix: 16) == minor, UInt64(place[2]) == file
            else { continue }
            return Int(fields[4]).flatMap { $0 > 0 ? $0 : nil }
        }
        return nil
    }
}
