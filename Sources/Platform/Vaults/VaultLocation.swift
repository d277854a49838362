import Basics
import Client
import Crypto
import FoundationEssentials
import Model

/// The profile and backend of a record, and the folder of the installation's records.
///
/// The same profile on another backend is another session: the tokens of one must not be sent to
/// the other.
package struct VaultLocation: Sendable, Hashable {
    package let profile: String
    package let baseURL: String
    /// `$XDG_STATE_HOME/authtop`.
    let folder: String

    package init(profile: String, baseURL: String, folder: String) {
        self.profile = profile
        self.baseURL = baseURL
        self.folder = folder
    }

    /// The path of the record if it is stored in a file.
    package var recordPath: String { "\(folder)/\(FileStore.name(for: self))" }

    /// The folder of the records of the users of the profile, who have a session each.
    package var usersFolder: String { "\(folder)/\(stem).users" }

    /// The prefix of the names of this record's files.
    ///
    /// It is readable if the profile's name is, and never a path, a hidden file or another record's
    /// prefix: a digest of both names makes it unique.
    package var stem: String {
        let readable = profile.unicodeScalars.prefix(40).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                ? Character(scalar) : "_"
        }
        let both = Array("\(profile)\u{0}\(baseURL)".utf8)
        let digest = SHA256.hash(data: both).prefix(8).hexadecimal
        return String(readable).asciiLowercased + "-" + digest
    }
}

/// The records that an installation stores in files, whether or not their profiles still exist.
package struct StoredVaults: Sendable {
    private let folder: String

    package init(folder: String) {
        self.folder = folder
    }

    /// Returns the records according to their heads, which are not authenticated before the record
    /// is decrypted.
    ///
    /// - Parameter profile: The name of the profile.
    /// - Returns: The locations, ordered by backend.
    package func locations(of profile: String) -> [VaultLocation] {
        locations.filter { $0.profile == profile }
    }

    /// All locations, ordered by profile and backend.
    package var locations: [VaultLocation] {
        guard let opened = try? PrivateFolder.open(folder) else { return [] }
        return opened.names.compactMap { name in
            guard let head = FileStore.head(of: name, in: opened) else { return nil }
            let location = VaultLocation(
                profile: head.profile,
                baseURL: head.baseURL,
                folder: folder
            )
            // A head that does not match the name of its file is not trusted.
            return name == FileStore.name(for: location) ? location : nil
        }
        .sorted { ($0.profile, $0.baseURL) < ($1.profile, $1.baseURL) }
    }

    /// The stamp files of records that are stored in credential helpers.
    package var helperStamps: [String] {
        guard let opened = try? PrivateFolder.open(folder) else { return [] }
        return opened.names.filter {
            $0.ends(with: HelperStore.stampSuffix) && !$0.begins(with: ".")
        }
    }
}
