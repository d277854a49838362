import Lifecycle

/// A file of its own.
struct FileStore: RecordStore {
    let folder: String
    let watched: String

    init(location: VaultLocation) {
        folder = location.folder
        watched = Self.name(for: location)
    }

    static func name(for location: VaultLocation) -> String { "\(location.stem).vault" }

    /// What a record's head says, or `nil` for what is no record.
    static func head(of name: String, in folder: borrowing PrivateFolder) -> SealedRecord.Head? {
        guard name.hasSuffix(".vault"), !name.hasPrefix("."),
            let bytes = try? folder.read(name, limit: SealedRecord.sizeLimit)
        else { return nil }
        return (try? SealedRecord(parsing: bytes, from: name))?.head
    }

    var description: String { "\(folder)/\(watched)" }
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
