import Dispatch
import Glibc
import Synchronization

/// Notifies when anything in one of some folders has been written, replaced or removed.
///
/// Unchecked: the source is created here and afterwards only cancelled.
package final class FolderWatch: @unchecked Sendable {
    private static let mask =
        UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_DELETE) | UInt32(IN_CLOSE_WRITE)
        | UInt32(IN_CREATE) | UInt32(IN_MODIFY) | UInt32(IN_ATTRIB) | UInt32(IN_ONLYDIR)
    /// The most folders; the system allows some thousands to a user.
    private static let folderLimit = 1_000

    /// A change, and the process that had the file open when it was seen.
    package struct Change: Sendable, Hashable {
        package let path: String
        package let writer: String?
    }

    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private struct State {
        var folders: [String: Int32] = [:]
        /// The files whose writers are looked for.
        var files: Set<String> = []
    }

    private let state = Mutex(State())

    /// - Parameter onChange: Called with what has changed, on a thread of its own.
    package init?(onChange: @escaping @Sendable ([Change]) -> Void) {
        let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard number >= 0 else { return nil }
        descriptor = number
        source = DispatchSource.makeReadSource(
            fileDescriptor: number,
            queue: DispatchQueue(label: "stores")
        )
        source.setEventHandler { @Sendable [weak self] in self?.read(onChange) }
        source.setCancelHandler { @Sendable in close(number) }
        source.resume()
    }

    deinit {
        source.cancel()
    }

    /// Watches these folders, of which some need not exist, and no others.
    ///
    /// Of one that is not there, the nearest folder above it is watched.
    ///
    /// - Parameters:
    ///   - folders: The folders.
    ///   - files: The files whose writers are looked for.
    package func watch(_ folders: Set<String>, files: Set<String>) {
        let wanted = Set(folders.map(Self.existing).sorted().prefix(Self.folderLimit))
        state.withLock { state in
            state.files = files
            for (folder, number) in state.folders where !wanted.contains(folder) {
                inotify_rm_watch(descriptor, number)
                state.folders[folder] = nil
            }
            for folder in wanted {
                // For one that is watched already, this has no effect.
                let number = inotify_add_watch(descriptor, folder, Self.mask)
                if number >= 0 { state.folders[folder] = number }
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

    private func read(_ onChange: ([Change]) -> Void) {
        var paths: Set<String> = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let (folders, files) = state.withLock { state in
            let folders = state.folders.map { ($0.value, $0.key) }
            return (Dictionary(folders) { first, _ in first }, state.files)
        }
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            buffer.withUnsafeBytes { bytes in
                var place = 0
                let size = MemoryLayout<inotify_event>.size
                while place + size <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                    let name = bytes[(place + size)..<min(count, place + size + Int(event.len))]
                        .prefix { $0 != 0 }
                    let text = String(decoding: name, as: UTF8.self)
                    if let folder = folders[event.wd] {
                        paths.insert(text.isEmpty ? folder : "\(folder)/\(text)")
                    }
                    place += size + Int(event.len)
                }
            }
        }
        guard !paths.isEmpty else { return }
        let writers = OpenFiles.processes(with: paths.intersection(files))
        onChange(paths.sorted().map { Change(path: $0, writer: writers[$0]) })
    }
}

/// The processes of this user that have a file open, as `/proc` shows them.
private enum OpenFiles {
    /// The most processes that are looked at.
    private static let processLimit = 2_000

    /// Returns the names of processes other than this one, by the paths that they have open.
    static func processes(with paths: Set<String>) -> [String: String] {
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
