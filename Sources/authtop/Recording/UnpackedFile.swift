import Basics
import Glibc
import HTTP
import Observer
import Platform

/// The bytes of a recording or of an archive, without what they are packed in (gzip, ZIP), and the
/// files beside it.
struct UnpackedFile {
    let bytes: [UInt8]
    private let source: Source

    private enum Source {
        case folder(String)
        /// The archive, and the folder in it.
        case zip(ZipArchive, folder: String)
    }

    /// - Parameters:
    ///   - packed: The bytes as they are in the file.
    ///   - path: The path of the file, for its neighbors and for messages.
    /// - Throws: `CommandFailure` if what they are packed in cannot be read.
    init(_ packed: [UInt8], at path: String) throws(CommandFailure) {
        let size = HARCapture.sizeLimit
        if packed.starts(with: [0x1F, 0x8B]) {
            guard let bytes = Inflater(.headed).inflated(packed, limit: size) else {
                throw CommandFailure(
                    .badInput,
                    "\(path): expected gzip of at most \(size >> 20) MiB, found another kind, or more"
                )
            }
            self.bytes = bytes
            source = .folder(Self.folder(of: path))
        } else if ZipArchive.isOne(packed) {
            let zip = ZipArchive(packed)
            let names = zip?.names.filter { $0.asciiLowercased.ends(with: ".har") } ?? []
            guard let zip, let name = names.first, names.count == 1,
                let bytes = zip.contents(of: name, limit: size)
            else {
                throw CommandFailure(
                    .badInput,
                    "\(path): expected a ZIP file with one .har of at most \(size >> 20) MiB, found "
                        + "\(names.count)"
                )
            }
            self.bytes = bytes
            let slash = name.utf8.lastIndex(of: UInt8(ascii: "/"))
            source = .zip(zip, folder: slash.map { String(name[...$0]) } ?? "")
        } else {
            bytes = packed
            source = .folder(Self.folder(of: path))
        }
    }

    private static func folder(of path: String) -> String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return slash.map { String(path[...$0]) } ?? ""
    }

    /// Returns the contents of a file beside it.
    ///
    /// - Parameters:
    ///   - name: The name of the file, without a folder.
    ///   - limit: The limit on its size, in bytes.
    /// - Returns: The contents, or `nil` if there is none within the limit.
    func neighbor(named name: String, limit: Int) -> [UInt8]? {
        switch source {
        case .zip(let zip, let folder): return zip.contents(of: folder + name, limit: limit)
        case .folder(let folder):
            let descriptor = open(folder + name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            let size = lseek(descriptor, 0, SEEK_END)
            guard FileStatus(of: descriptor)?.isFile == true, size >= 0, size <= limit,
                lseek(descriptor, 0, SEEK_SET) == 0
            else { return nil }
            return FileTrust.contents(of: descriptor, limit: size)
        }
    }
}
