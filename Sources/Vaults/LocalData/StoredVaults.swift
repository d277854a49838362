import Lifecycle

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
