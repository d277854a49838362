import Glibc

/// The names in a folder.
///
/// Without Foundation, to which the fields of the entries belong in a statically linked build.
struct FolderEntries {
    /// Sorted; without the folder itself and the one above it.
    let names: [String]
    /// Whether there are more than the limit.
    let areCut: Bool

    /// Reads the names; there are none if the folder cannot be read.
    init(of folder: String, limit: Int = .max) {
        var names: [String] = []
        var areCut = false
        if let stream = opendir(folder) {
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                        String(cString: $0)
                    }
                }
                guard name != ".", name != ".." else { continue }
                guard names.count < limit else {
                    areCut = true
                    break
                }
                names.append(name)
            }
        }
        self.names = names.sorted()
        self.areCut = areCut
    }
}
