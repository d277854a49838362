import Crypto
import FoundationEssentials

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
        let digest = SHA256.hash(data: both).prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        return String(readable).lowercased() + "-" + digest.joined()
    }
}
