import Dispatch
import Glibc
import Synchronization

/// Notifies when a file in a folder has been replaced, changed or removed.
///
/// The folder is watched, because each write creates a new file. If the system has no watch left,
/// no change is reported; the record is read again before each refresh anyway.
///
/// Unchecked: the source is created here and afterwards only cancelled.
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

    /// Starts watching.
    ///
    /// - Parameters:
    ///   - name: The file, which need not exist.
    ///   - folder: The folder of the file.
    ///   - onChange: Called with the identity of the new file, or `nil` if there is none now.
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

    /// Checks whether the file is a different one now; the kind of change does not matter.
    private func look(_ onChange: (FileIdentity?) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        // The folder may have been replaced; for the same folder this has no effect.
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
