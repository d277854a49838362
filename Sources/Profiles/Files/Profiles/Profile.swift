/// A profile that the user can watch: a dialect, the address of its backend, and how its session is
/// kept.
package struct Profile: Sendable, Equatable {
    /// The name in lower case that the user types, and that is part of the environment variables
    /// for its credentials.
    package var name: String
    package var dialect: Dialect
    /// The base URL as written, or `nil` if the file does not define it.
    package var baseURL: String?
    /// The issuer whose metadata fills the profile, or `nil` if the file names none.
    package var issuer: String?
    /// The vault, or `nil` if the file does not define it.
    package var vault: VaultChoice?
    /// The seconds after which an unused session is forgotten, or `nil` if the file does not define
    /// them.
    package var keep: Double?
    package var transport: TransportRequirements
    /// The commands whose first line of output is a credential, by the credential's name.
    package var credentialCommands: [String: [String]]
    /// The files of the profile, its own first.
    package var files: [String]
    /// Settings of the file without use, although they are no mistakes.
    package var warnings: [DialectError]
    var writer: TOMLWriter

    /// The profile as one file with everything that it inherits, without secrets.
    package var resolved: String { writer.text }

    /// Whether the files define a backend, themselves or by their issuer.
    package var namesBackend: Bool { baseURL != nil || issuer != nil }
}

/// Where a profile's tokens are kept.
package enum VaultChoice: Sendable, Hashable {
    case memory
    case file
    /// A credential helper, by its name.
    case helper(String)
}

extension VaultChoice: CustomStringConvertible {
    /// The choice as a profile writes it.
    package var description: String {
        switch self {
        case .memory: "memory"
        case .file: "file"
        case .helper(let name): "helper:\(name)"
        }
    }
}

/// The text of a dialect's or a profile's file.
package struct ProfileSource: Sendable, Hashable {
    /// The file's name without its extension, which is the profile's name unless the file defines
    /// another.
    var name: String
    package var text: String
    /// The name with which errors begin.
    var file: String

    package init(name: String, text: String, file: String) {
        self.name = name
        self.text = text
        self.file = file
    }

    package static func builtIn(_ name: String) -> ProfileSource? {
        (Dialect.builtInSources[name] ?? Profile.providerSources[name]).map {
            ProfileSource(name: name, text: $0, file: "\(name).toml")
        }
    }
}
