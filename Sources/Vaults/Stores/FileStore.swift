import Lifecycle

/// Where the bytes of one sealed record lie.
///
/// What it does blocks the calling thread.
protocol RecordStore: Sendable {
    /// For words: a path, or a program and what it calls the record.
    var description: String { get }
    /// What it is, before what is said of its key.
    var kind: String { get }
    /// The file of the folder that is another one after each change.
    var watched: String { get }

    /// `nil` when there is no record.
    func read() throws(VaultProblem) -> [UInt8]?

    /// Under the record lock.
    ///
    /// - Parameters:
    ///   - bytes: The sealed record.
    ///   - folder: Where the watched file is.
    ///   - announce: Told which version the watched file will be, before anybody can see it.
    /// - Throws: When it cannot be written.
    func replace(
        with bytes: [UInt8],
        in folder: borrowing PrivateFolder,
        announce: (FileIdentity) -> Void
    ) throws(VaultProblem)

    /// Under the record lock: puts a record over the bytes of the one before, where the folder
    /// takes no new file and gives none away.
    ///
    /// - Returns: False where that is not possible.
    /// - Throws: When it was tried, and the record is damaged now.
    func overwrite(
        with bytes: [UInt8],
        in folder: borrowing PrivateFolder
    ) throws(VaultProblem) -> Bool

    /// Under the record lock; nothing where there is no record.
    func erase(in folder: borrowing PrivateFolder) throws(VaultProblem)
}

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
