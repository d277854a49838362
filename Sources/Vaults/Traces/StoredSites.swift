import Lifecycle

/// The records in files that an installation has, whether or not their profiles are still there.
package struct StoredSites: Sendable {
    private let folder: String

    package init(folder: String) {
        self.folder = folder
    }

    /// By what their heads say, which nobody has vouched for before the record is opened.
    ///
    /// - Parameter profile: Whose.
    /// - Returns: In the order of their backends.
    package func sites(of profile: String) -> [VaultSite] {
        guard let opened = try? PrivateFolder.open(folder) else { return [] }
        return opened.names.compactMap { name in
            guard let head = FileStore.head(of: name, in: opened), head.profile == profile else {
                return nil
            }
            let site = VaultSite(profile: profile, baseURL: head.baseURL, folder: folder)
            // A head that says what another file's name stands for is not believed.
            return name == FileStore.name(for: site) ? site : nil
        }
        .sorted { $0.baseURL < $1.baseURL }
    }
}
