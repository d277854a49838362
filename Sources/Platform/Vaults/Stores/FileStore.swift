import Basics
import Client
import Model

/// A store for the bytes of one sealed record.
///
/// All operations block the calling thread.
protocol RecordStore: Sendable {
    /// The location to name in messages: a path, or a program and its name for the record.
    var description: String { get }
    /// The kind of store, as shown before the description of the key.
    var kind: String { get }
    /// The name of the file in the folder that is replaced with each change.
    var watched: String { get }

    /// Returns the record, or `nil` if there is none.
    func read() throws(VaultProblem) -> [UInt8]?

    /// Replaces the record; called under the record lock.
    ///
    /// - Parameters:
    ///   - bytes: The sealed record.
    ///   - folder: The folder of the watched file.
    ///   - announce: Called with the identity of the new watched file before it becomes visible.
    /// - Throws: If the record cannot be written.
    func replace(
        with bytes: [UInt8],
        in folder: borrowing PrivateFolder,
        announce: (FileIdentity) -> Void
    ) throws(VaultProblem)

    /// Overwrites the record in place if the folder allows no new or removed files; called under
    /// the record lock.
    ///
    /// - Returns: `false` if that is not possible.
    /// - Throws: If the record was partly written and is damaged now.
    func overwrite(
        with bytes: [UInt8],
        in folder: borrowing PrivateFolder
    ) throws(VaultProblem) -> Bool

    /// Erases the record, if there is one; called under the record lock.
    func erase(in folder: borrowing PrivateFolder) throws(VaultProblem)
}

/// A store that keeps the record in a file of its own.
struct FileStore: RecordStore {
    let folder: String
    let watched: String

    init(location: VaultLocation) {
        folder = location.folder
        watched = Self.name(for: location)
    }

    static func name(for location: VaultLocation) -> String { "\(location.stem).vault" }

    /// Returns the head of a record, or `nil` if the file is not a record.
    static func head(of name: String, in folder: borrowing PrivateFolder) -> SealedRecord.Head? {
        guard name.ends(with: ".vault"), !name.begins(with: "."),
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
