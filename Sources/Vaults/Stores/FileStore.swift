import Lifecycle

/// A file of its own.
struct FileStore: RecordStore {
    let folder: String
    let watched: String

    init(site: VaultSite) {
        folder = site.folder
        watched = Self.name(for: site)
    }

    static func name(for site: VaultSite) -> String { "\(site.stem).vault" }

    /// What a record's head says; nil for what is no record.
    static func head(of name: String, in folder: borrowing PrivateFolder) -> SealedRecord.Head? {
        guard name.hasSuffix(".vault"), !name.hasPrefix("."),
            let bytes = try? folder.read(name, limit: SealedRecord.sizeLimit)
        else { return nil }
        return (try? SealedRecord(parsing: bytes, from: name))?.head
    }

    var words: String { "\(folder)/\(watched)" }
    var kind: String { "encrypted file" }

    func read() throws(VaultProblem) -> [UInt8]? {
        guard let opened = try PrivateFolder.open(folder) else { return nil }
        return try opened.read(watched, limit: SealedRecord.sizeLimit)
    }

    func replace(
        with bytes: [UInt8],
        in folder: borrowing PrivateFolder,
        announce: (FileIdentity) -> Void
    ) throws(VaultProblem) {
        try folder.replace(watched, with: bytes, announce: announce)
    }

    func overwrite(
        with bytes: [UInt8],
        in folder: borrowing PrivateFolder
    ) throws(VaultProblem) -> Bool {
        try folder.overwrite(watched, with: bytes)
    }

    func erase(in folder: borrowing PrivateFolder) throws(VaultProblem) {
        try folder.remove(watched)
    }
}
