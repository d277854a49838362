package import Basics
package import FoundationEssentials
import Glibc
package import Stores

/// Looks for the stores of sessions on this machine, and reads them; nothing is written or sent.
package struct StoreScanner: Sendable {
    /// The most entries that are looked at for one place, of all its folders.
    private static let entryLimit = 10_000
    /// The most files of one place.
    private static let fileLimit = 500

    /// The time after a write in which another one may leave the file's time as it is, in seconds.
    private static let settlingTime = 1.0

    private struct Known {
        let version: FileIdentity
        let file: StoreScan.File
    }

    /// What is the same for many files of one scan.
    private struct Pass {
        let date: Date
        /// The files that were found, under whatever name.
        var seen: Set<FileIdentity> = []
        /// The outermost folders that keep other users out, by the folders within.
        var protections: [Substring: String?] = [:]
        /// Room for a path.
        var buffer = [UInt8](repeating: 0, count: 4_096)
    }

    /// A file, what is kept of it for the next scan, and its path without symbolic links.
    private struct Found {
        let file: StoreScan.File
        var known: Known?
        var target: String?
    }

    private let definitions: [StoreDefinition]
    private let variables: [String: String]
    private let fingerprinter: Fingerprinter
    /// What was read, which is not read again while the file is the same.
    private var known: [String: Known] = [:]
    /// Where there are stores, or may be one.
    package private(set) var places = StorePlaces()
    private var crowded: Set<String> = []

    /// - Parameters:
    ///   - definitions: The stores.
    ///   - variables: Those of the environment.
    ///   - fingerprinter: That of the installation.
    package init(
        _ definitions: [StoreDefinition],
        variables: [String: String],
        fingerprinter: Fingerprinter
    ) {
        self.definitions = definitions
        self.variables = variables
        self.fingerprinter = fingerprinter
    }

    /// Reads what has changed since the last time.
    package mutating func scan(at date: Date) -> StoreScan {
        places = StorePlaces()
        crowded = []
        var files: [StoreScan.File] = []
        var pass = Pass(date: date)
        var paths: Set<String> = []
        var read: [String: Known] = [:]
        for definition in definitions {
            for group in definition.files {
                for path in group.paths {
                    for file in self.files(at: path) where paths.insert(file).inserted {
                        let found = self.file(file, definition, group, &pass)
                        guard let found else { continue }
                        if let known = found.known { read[file] = known }
                        files.append(found.file)
                        guard let target = found.target else { continue }
                        // Behind a symbolic link, changes are told in the folder of the file itself.
                        let (folder, name) = StorePlaces.parts(of: target)
                        places.insert(KeyPattern(name), in: folder)
                        if let name = path.names.last { places.insert(name, in: folder) }
                    }
                }
            }
        }
        known = read
        return StoreScan(files: files, crowdedFolders: crowded.sorted(), date: date)
    }

    // MARK: - Places

    private mutating func files(at path: StorePath) -> [String] {
        var found: [String] = []
        for base in path.bases(in: variables) {
            var paths = [base]
            var room = Self.entryLimit
            for (index, name) in path.names.enumerated() {
                let isLast = index == path.names.count - 1
                var below: [String] = []
                for folder in paths {
                    if isLast || name.isOpen { places.insert(name, in: folder) }
                    let names = name.isOpen ? entries(of: folder, room: &room) : [name.text]
                    below += names.filter(name.matches).map { "\(folder)/\($0)" }
                    if below.count > Self.fileLimit {
                        crowded.insert(folder)
                        break
                    }
                }
                paths = Array(below.prefix(Self.fileLimit))
            }
            if path.names.isEmpty {
                let (folder, name) = StorePlaces.parts(of: base)
                places.insert(KeyPattern(name), in: folder)
            }
            found += paths
        }
        return found
    }

    private mutating func entries(of folder: String, room: inout Int) -> [String] {
        let entries = FolderEntries(of: folder, limit: room)
        if entries.areCut { crowded.insert(folder) }
        room -= entries.names.count
        return entries.names
    }

    // MARK: - Files

    /// Returns a file, or `nil` if there is none, or it was found at another place.
    private func file(
        _ path: String,
        _ definition: StoreDefinition,
        _ group: StoreFiles,
        _ pass: inout Pass
    ) -> Found? {
        func problem(_ problem: StoreProblem) -> StoreScan.File {
            StoreScan.File(
                path: path,
                store: definition.name,
                title: definition.title,
                problem: problem
            )
        }
        func unreadable(_ code: Int32) -> Found? {
            guard code != ENOENT, code != ENOTDIR else { return nil }
            return Found(file: problem(.unreadable(String(cString: strerror(code)))))
        }
        // A program that waits for the reader of a pipe would write to this one.
        guard let present = FileStatus(atPath: path) else { return unreadable(errno) }
        guard !present.isFolder else { return nil }
        guard present.isFile else { return Found(file: problem(.notARegularFile)) }
        // It may be another one by now: a pipe does not block, and no terminal becomes this process's.
        let number = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else { return unreadable(errno) }
        let descriptor = Descriptor(number: number)
        guard let status = FileStatus(of: descriptor.number), status.isFile,
            let version = FileIdentity(of: descriptor.number)
        else { return nil }
        guard pass.seen.insert(version).inserted else { return nil }
        let target = Self.target(of: descriptor.number, &pass.buffer)
        let facts = FileFacts(
            modified: Date(timeIntervalSince1970: version.modified),
            mode: status.mode,
            protectingFolder: Self.protectingFolder(above: path, &pass.protections)
        )
        if let known = known[path], known.version == version {
            var file = known.file
            // A change of the mode is none of the contents.
            if file.facts != nil { file.facts = facts }
            return Found(file: file, known: Known(version: version, file: file), target: target)
        }
        guard version.size <= StoreDocument.sizeLimit else {
            return Found(file: problem(.tooLarge(version.size)), target: target)
        }
        guard let bytes = Self.bytes(of: descriptor.number, count: version.size) else {
            let reason = String(cString: strerror(errno))
            return Found(file: problem(.unreadable(reason)), target: target)
        }
        let file: StoreScan.File
        if let document = StoreDocument.read(bytes, as: group.format) {
            let found = StoredSessionReader(definition, fingerprinter: fingerprinter).sessions(
                in: document,
                at: group.sessions,
                file: path,
                modified: Date(timeIntervalSince1970: version.modified)
            )
            file = StoreScan.File(
                path: path,
                store: definition.name,
                title: definition.title,
                sessions: found.sessions,
                isCut: found.isCut,
                facts: facts
            )
        } else {
            let isEmpty = bytes.allSatisfy { $0 <= 0x20 }
            file = problem(isEmpty ? .empty : .notInFormat(group.format))
        }
        // A second write within the resolution of the file's time would not change its version.
        let age = pass.date.timeIntervalSince1970 - version.modified
        let isSettled = abs(age) > Self.settlingTime
        let known = isSettled ? Known(version: version, file: file) : nil
        return Found(file: file, known: known, target: target)
    }

    /// Returns the path of an open file without symbolic links.
    private static func target(of descriptor: Int32, _ buffer: inout [UInt8]) -> String? {
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        guard count > 0, buffer[0] == UInt8(ascii: "/") else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Returns the contents of a file of about a size, which may be growing.
    private static func bytes(of descriptor: Int32, count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        // One more, so that mostly the second call finds the end.
        var buffer = [UInt8](repeating: 0, count: min(max(count, 0) + 1, 64 << 10))
        while bytes.count <= StoreDocument.sizeLimit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
        return nil
    }

    /// Returns the outermost folder that keeps other users from a file, or `nil` if none does.
    private static func protectingFolder(
        above path: String,
        _ known: inout [Substring: String?]
    ) -> String? {
        let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        if let found = known[path[..<end]] { return found }
        var found: String?
        var folder = ""
        for name in path[..<end].parts(at: "/") {
            folder += "/\(name)"
            let mode = FileStatus(atPath: folder)?.mode ?? 0
            guard mode & 0o001 == 0 else { continue }
            found = folder
            break
        }
        known[path[..<end]] = .some(found)
        return found
    }
}
