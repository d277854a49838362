import Glibc

/// The processes of this user that have a file open, as `/proc` shows them.
package enum OpenFiles {
    /// The most processes that are looked at.
    private static let processLimit = 2_000

    /// Returns the names of processes other than this one, by the paths that they have open.
    package static func processes(with paths: Set<String>) -> [String: String] {
        guard !paths.isEmpty else { return [:] }
        let own = getpid()
        var found: [String: String] = [:]
        let processes = FolderEntries(of: "/proc").names.compactMap { Int32($0) }
        for process in processes.suffix(processLimit) where process != own {
            for path in openPaths(of: process) where paths.contains(path) {
                found[path] = command(of: process)
            }
            if found.count == paths.count { break }
        }
        return found
    }

    private static func openPaths(of process: Int32) -> [String] {
        let folder = "/proc/\(process)/fd"
        var buffer = [UInt8](repeating: 0, count: 4_096)
        return FolderEntries(of: folder).names.compactMap { name in
            let count = readlink("\(folder)/\(name)", &buffer, buffer.count)
            guard count > 0, buffer[0] == UInt8(ascii: "/") else { return nil }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    private static func command(of process: Int32) -> String? {
        let descriptor = Descriptor(number: open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC))
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(descriptor.number, &buffer, buffer.count)
        guard count > 1 else { return nil }
        return "\(String(decoding: buffer[..<(count - 1)], as: UTF8.self)) (\(process))"
    }
}
