import Dispatch
import Glibc
import Synchronization

/// Notifies when something in one of some folders has been written, replaced or removed.
///
/// Folders are watched, because most programs replace a file rather than change it. If the system has
/// no watch left, no change is reported.
///
/// Unchecked: the source is created here and afterwards only cancelled.
package final class FolderWatch: @unchecked Sendable {
    /// The changes that are reported.
    package enum Extent: Sendable {
        /// Those after which a file is complete: it was closed, moved or removed.
        case completed
        /// Also each write, and a change of permissions.
        case all

        fileprivate var mask: UInt32 {
            let completed =
                UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE)
                | UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE_SELF)
                | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
            return switch self {
            case .completed: completed
            case .all: completed | UInt32(IN_MODIFY) | UInt32(IN_ATTRIB)
            }
        }

        fileprivate func reports(_ event: inotify_event) -> Bool {
            switch self {
            // A new file is reported once it is closed, a new folder at once.
            case .completed:
                event.mask & UInt32(IN_CREATE) == 0 || event.mask & UInt32(IN_ISDIR) != 0
            case .all: true
            }
        }
    }

    /// The most folders; the system allows some thousands to a user.
    private static let folderLimit = 1_000
    /// The most attempts to find folders that are made at the same time.
    private static let attemptLimit = 8

    private struct State {
        /// The folders to watch, of which some need not exist.
        var wanted: Set<String> = []
        /// The system's numbers of the folders that are watched.
        var numbers: [String: Int32] = [:]
    }

    private let extent: Extent
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let state = Mutex(State())

    /// Creates a watch of no folder yet.
    ///
    /// - Parameters:
    ///   - extent: The changes that are reported.
    ///   - onChange: Called with the paths that have changed, on a thread of its own.
    package init?(_ extent: Extent, onChange: @escaping @Sendable (Set<String>) -> Void) {
        let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard number >= 0 else { return nil }
        self.extent = extent
        descriptor = number
        source = DispatchSource.makeReadSource(
            fileDescriptor: number,
            queue: DispatchQueue(label: "folder watch")
        )
        source.setEventHandler { @Sendable [weak self] in self?.read(onChange) }
        source.setCancelHandler { @Sendable in close(number) }
        source.resume()
    }

    deinit {
        source.cancel()
    }

    package func cancel() {
        source.cancel()
    }

    /// Watches these folders, of which some need not exist, and no others.
    ///
    /// Of one that is not there, the nearest folder above it is watched until it is.
    package func watch(_ folders: Set<String>) {
        state.withLock { state in
            state.wanted = folders
            follow(&state)
        }
    }

    /// Watches the folders that are wanted as they are now.
    private func follow(_ state: inout State) {
        var found: Set<String> = []
        for _ in 0..<Self.attemptLimit {
            let now = Set(state.wanted.map(Self.existing).sorted().prefix(Self.folderLimit))
            // A folder that was made since the last attempt is not watched yet.
            guard now != found else { return }
            found = now
            for (folder, number) in state.numbers where !found.contains(folder) {
                inotify_rm_watch(descriptor, number)
                state.numbers[folder] = nil
            }
            for folder in found {
                // For one that is watched already, this has no effect.
                let number = inotify_add_watch(descriptor, folder, extent.mask)
                if let old = state.numbers[folder], old != number {
                    inotify_rm_watch(descriptor, old)
                }
                state.numbers[folder] = number >= 0 ? number : nil
            }
        }
    }

    private static func existing(_ folder: String) -> String {
        var folder = folder.isEmpty ? "/" : folder
        while folder != "/", access(folder, X_OK) != 0 {
            guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
        return folder
    }

    private func read(_ onChange: (Set<String>) -> Void) {
        var paths: Set<String> = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            // Taken afterwards, so that the folder of each event is among them.
            let numbers = state.withLock { $0.numbers }
            // Of a folder by two names, such as one behind a symbolic link, there is one number.
            let folders = Dictionary(grouping: numbers.keys) { numbers[$0] ?? -1 }
            buffer.withUnsafeBytes { bytes in
                var place = 0
                let size = MemoryLayout<inotify_event>.size
                while place + size <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                    let name = bytes[(place + size)..<min(count, place + size + Int(event.len))]
                        .prefix { $0 != 0 }
                    let text = String(decoding: name, as: UTF8.self)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                        // Some changes are lost.
                        paths.formUnion(numbers.keys)
                    } else if let names = folders[event.wd], extent.reports(event) {
                        paths.formUnion(names.map { text.isEmpty ? $0 : "\($0)/\(text)" })
                    }
                    place += size + Int(event.len)
                }
            }
        }
        guard !paths.isEmpty else { return }
        // A folder may have been replaced, or made.
        state.withLock { follow(&$0) }
        onChange(paths)
    }
}

extension FolderWatch {
    /// Returns a stream that yields for each change of one file from now on; at most one is buffered.
    ///
    /// - Parameters:
    ///   - name: The file, which need not exist.
    ///   - folder: The folder of the file.
    ///   - isReported: Whether a change is reported, by the identity of the new file, or `nil` if there
    ///     is none now.
    /// - Returns: The stream, which ends at once if the system has no watch left.
    static func changes(
        ofFile name: String,
        in folder: String,
        where isReported: @escaping @Sendable (FileIdentity?) -> Bool
    ) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let watch = FolderWatch(ofFile: name, in: folder) { identity in
            if isReported(identity) { continuation.yield() }
        }
        guard let watch else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in watch.cancel() }
        return stream
    }

    /// Starts to watch one file, which need not exist; the kind of change does not matter.
    ///
    /// - Parameters:
    ///   - name: The file.
    ///   - folder: The folder of the file.
    ///   - onChange: Called with the identity of the new file, or `nil` if there is none now.
    convenience init?(
        ofFile name: String,
        in folder: String,
        onChange: @escaping @Sendable (FileIdentity?) -> Void
    ) {
        let seen = Mutex<FileIdentity?>(nil)
        let identity: @Sendable () -> FileIdentity? = {
            guard let opened = try? PrivateFolder.open(folder) else { return nil }
            return opened.identity(of: name)
        }
        self.init(.completed) { _ in
            let (isNew, now) = seen.withLock { seen in
                let now = identity()
                defer { seen = now }
                return (seen != now, now)
            }
            if isNew { onChange(now) }
        }
        seen.withLock { seen in
            watch([folder])
            seen = identity()
        }
    }
}
