import Basics
import Client
import Crypto
package import Model

/// The key in a file of mode 0600 beside the records.
///
/// It protects a copy of a record without the key, for example in a backup of single files, an
/// email or a screen. It does not protect against programs that can read this user's files.
package struct KeyFile: VaultKeySource {
    static let name = "key"

    let folder: String

    package init(folder: String) {
        self.folder = folder
    }

    package var place: KeyPlace { .file }
    package var description: String { "\(folder)/\(Self.name)" }
    package var protection: String {
        "protects a copy without the key, not against anyone who can read your files or runs as you"
    }

    package var notice: String? {
        if let opened = try? PrivateFolder.open(folder), opened.identity(of: Self.name) != nil {
            return nil
        }
        return "the key of what is stored is kept in \(description), mode 0600: it \(protection)"
    }

    package func existing() throws(VaultProblem) -> VaultKey? {
        guard let opened = try PrivateFolder.open(folder) else { return nil }
        return try read(opened)
    }

    package func create() throws(VaultProblem) -> VaultKey {
        let opened = try PrivateFolder.make(folder)
        if let key = try read(opened) { return key }
        var bytes = VaultKey().bytes
        defer { bytes.wipe() }
        try opened.create(Self.name, with: bytes, mark: AES.GCM.Nonce().hexadecimal)
        guard let key = try read(opened) else { throw .cannot("read", description, 0) }
        return key
    }

    package func remove() throws(VaultProblem) {
        guard let opened = try PrivateFolder.open(folder) else { return }
        try opened.remove(Self.name)
    }

    private func read(_ opened: borrowing PrivateFolder) throws(VaultProblem) -> VaultKey? {
        guard var bytes = try opened.read(Self.name, limit: VaultKey.size) else { return nil }
        guard let key = VaultKey(wiping: &bytes) else {
            throw VaultProblem(message: "\(description): is not a key; restore the right one")
        }
        return key
    }
}
