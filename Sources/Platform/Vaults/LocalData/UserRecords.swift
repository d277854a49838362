import Basics
import Glibc
import Model

/// The records of the users of a profile, who have a session each: a folder of their own.
package struct UserRecords: Sendable {
    private let folder: String

    init(of location: VaultLocation) {
        folder = location.usersFolder
    }

    package var path: String { folder }

    /// The number of records.
    package var count: Int {
        guard let opened = try? PrivateFolder.open(folder) else { return 0 }
        return opened.names.count { $0.ends(with: ".vault") && !$0.begins(with: ".") }
    }

    /// Removes all of them, with their key.
    func erase() throws(VaultProblem) {
        guard let opened = try PrivateFolder.open(folder) else { return }
        for name in opened.names { try opened.remove(name) }
        guard rmdir(folder) == 0 || errno == ENOENT else { throw .cannot("remove", folder, errno) }
    }
}
