import Crypto
import FoundationEssentials
import Lifecycle
import Tokens

/// Whose record it is, and where this installation keeps records.
///
/// A profile on another backend is another session: the tokens of one must not reach the other.
package struct VaultLocation: Sendable, Hashable {
    package let profile: String
    package let baseURL: String
    /// `$XDG_STATE_HOME/authtop`.
    package let folder: String

    package init(profile: String, baseURL: String, folder: String) {
        self.profile = profile
        self.baseURL = baseURL
        self.folder = folder
    }

    /// Of a record in a file.
    package var recordPath: String { "\(folder)/\(FileStore.name(for: self))" }

    /// What the names of this record's files begin with.
    ///
    /// Readable where the profile's name is, and never a path, a hidden file or another record's:
    /// what tells two of them apart is the digest of both names.
    package var stem: String {
        let readable = profile.unicodeScalars.prefix(40).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                ? Character(scalar) : "_"
        }
        let both = Array("\(profile)\u{0}\(baseURL)".utf8)
        let digest = SHA256.hash(data: both).prefix(8).hexadecimal
        return String(readable).lowercased() + "-" + digest
    }
}

/// The records in files that an installation has, whether or not their profiles are still there.
package struct StoredVaults: Sendable {
    private let folder: String

    package init(folder: String) {
        self.folder = folder
    }

    /// By what their heads say, which nobody has vouched for before the record is opened.
    ///
    /// - Parameter profile: Whose.
    /// - Returns: In the order of their backends.
    package func locations(of profile: String) -> [VaultLocation] {
        locations.filter { $0.profile == profile }
    }

    /// All of them, in the order of their profiles and backends.
    package var locations: [VaultLocation] {
        guard let opened = try? PrivateFolder.open(folder) else { return [] }
        return opened.names.compactMap { name in
            guard let head = FileStore.head(of: name, in: opened) else { return nil }
            let location = VaultLocation(
                profile: head.profile,
                baseURL: head.baseURL,
                folder: folder
            )
            // A head that says what another file's name stands for is not believed.
            return name == FileStore.name(for: location) ? location : nil
        }
        .sorted { ($0.profile, $0.baseURL) < ($1.profile, $1.baseURL) }
    }

    /// The files that say that a credential helper has a record.
    package var helperStamps: [String] {
        guard let opened = try? PrivateFolder.open(folder) else { return [] }
        return opened.names.filter { $0.hasSuffix(HelperStore.stampSuffix) && !$0.hasPrefix(".") }
    }
}
