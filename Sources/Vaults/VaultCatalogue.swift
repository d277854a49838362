package import Lifecycle
package import Sessions
package import Timekeeping

/// A kind of vault, as a person names it.
package struct VaultKind: Sendable {
    package let name: String
    /// One line for the help.
    package let summary: String
    private let make: @Sendable (VaultSite, any Timekeeper) throws(VaultProblem) -> any Vault

    init(
        name: String,
        summary: String,
        make: @escaping @Sendable (VaultSite, any Timekeeper) throws(VaultProblem) -> any Vault
    ) {
        self.name = name
        self.summary = summary
        self.make = make
    }

    /// A vault of this kind for a record.
    package func vault(
        for site: VaultSite,
        time: any Timekeeper
    ) throws(VaultProblem) -> any Vault {
        try make(site, time)
    }
}

/// Every kind of vault: a new one is a file and a line here.
package enum VaultCatalogue {
    package static let all: [VaultKind] = [.memory, .file]

    /// Nil when there is no such kind.
    package static func kind(named name: String) -> VaultKind? {
        all.first { $0.name == name }
    }
}

extension VaultKind {
    package static let memory = VaultKind(
        name: "memory",
        summary: "gone when you quit"
    ) { _, _ in MemoryVault() }

    package static let file = VaultKind(
        name: "file",
        summary: "an encrypted file under $XDG_STATE_HOME/authtop"
    ) { site, time in
        FileVault(site: site, keys: [KeyFile(folder: site.folder)], time: time)
    }
}
