package import Basics
package import FoundationEssentials

/// The metadata of a profile's issuer as it was last read, for when the issuer cannot be reached.
package struct ProviderFile: Sendable {
    /// The stored content.
    package struct Copy: Sendable, Hashable {
        /// The address where it was read.
        package let address: String
        package let document: JSONValue
        package let readAt: Date

        package init(address: String, document: JSONValue, readAt: Date) {
            self.address = address
            self.document = document
            self.readAt = readAt
        }
    }

    static let suffix = ".metadata"
    private static let sizeLimit = 1024 * 1024

    private let profile: String
    private let file: DataFile

    /// - Parameters:
    ///   - profile: The name of the profile.
    ///   - issuer: The issuer that it names.
    ///   - folder: The state folder.
    package init(profile: String, issuer: String, folder: String) {
        self.profile = profile
        let location = VaultLocation(profile: profile, baseURL: issuer, folder: folder)
        file = DataFile(location.stem + Self.suffix, in: folder)
    }

    /// The copy, or `nil` if there is none that can be read.
    package var copy: Copy? {
        guard let json = file.read(limit: Self.sizeLimit),
            let address = json["address"]?.stringValue, let document = json["document"],
            let readAt = json["readAt"]?.numberValue
        else { return nil }
        return Copy(
            address: address,
            document: document,
            readAt: Date(timeIntervalSince1970: readAt)
        )
    }

    /// Replaces the copy, on a separate thread.
    ///
    /// Failures are not reported, since the file is only for when the issuer cannot be reached.
    package func write(_ copy: Copy) async {
        await BlockingQueue().run {
            file.write([
                "profile": .string(profile), "address": .string(copy.address),
                "document": copy.document, "readAt": .number(copy.readAt.timeIntervalSince1970),
            ])
        }
    }

    /// Returns the names of a profile's files, of whichever issuers.
    static func names(of profile: String, in folder: borrowing PrivateFolder) -> [String] {
        folder.names.filter { name in
            guard name.ends(with: suffix), !name.begins(with: "."),
                let bytes = try? folder.read(name, limit: sizeLimit)
            else { return false }
            return JSONValue(parsing: bytes)?["profile"] == .string(profile)
        }
    }
}
