import Dispatch
import Glibc
import Synchronization

/// Tells when a file of a folder was replaced, changed or removed.
///
/// The folder is watched, because each write makes a new file. Where the system has no watch left
/// to give, nothing is told: whoever is about to renew reads the record again anyway.
///
/// Unchecked: the source is made here, and then only cancelled.
final class FileWatch: @unchecked Sendable {
    private static let mask =
        UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE) | UInt32(IN_CLOSE_WRITE)
        | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
        | UInt32(IN_DONT_FOLLOW)

    private let folder: String
    private let name: String
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let seen: Mutex<FileIdentity?>

    /// Watches from now on.
    ///
    /// - Parameters:
    ///   - name: A file that need not exist.
    ///   - folder: Where it is or may be.
    ///   - onChange: Told what is there now; `nil`: nothing.
    init?(
        _ name: String,
        in folder: String,
        onChange: @escaping @Sendable (FileIdentity?) -> Void
    ) {
        let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard number >= 0 else { return nil }
        descriptor = number
        self.name = name
        self.folder = folder
        source = DispatchSource.makeReadSource(
            fileDescriptor: number,
            queue: DispatchQueue(label: "vault watch")
        )
        inotify_add_watch(number, folder, Self.mask)
        seen = Mutex(Self.identity(name, in: folder))
        source.setEventHandler { @Sendable [weak self] in self?.look(onChange) }
        source.setCancelHandler { @Sendable in close(number) }
        source.resume()
    }

    func cancel() {
        source.cancel()
    }

    /// What happened exactly does not matter, only whether the file is another one now.
    private func look(_ onChange: (FileIdentity?) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        // The folder itself may be another one by now; for the same one this changes nothing.
        inotify_add_watch(descriptor, folder, Self.mask)
        let now = Self.identity(name, in: folder)
        let isNew = seen.withLock { seen in
            defer { seen = now }
            return seen != now
        }
        if isNew { onChange(now) }
    }

    private static func identity(_ name: String, in folder: String) -> FileIdentity? {
        guard let folder = try? PrivateFolder.open(folder) else { return nil }
        return folder.identity(of: name)
    }
}
