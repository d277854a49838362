/// One thing a person can watch: a dialect, where its backend is, and how its session is kept.
package struct Profile: Sendable, Equatable {
    /// Lower-case: what a person types, and part of the variables that hold its credentials.
    package var name: String
    package var dialect: Dialect
    /// As it is written, or `nil` if the file does not say it.
    package var baseURL: String?
    /// `nil` where the file does not say it.
    package var vault: VaultChoice?
    /// Seconds after which a session that nobody used is forgotten, or `nil` if the file does not
    /// say.
    package var keep: Double?
    /// The programs whose first line is a credential, by the credential's name.
    package var credentialCommands: [String: [String]]
    /// The files that it is made of, its own first.
    package var files: [String]
    /// The whole as one file, with everything in it that it inherits, and nothing secret.
    package var resolved: String
}

/// Where a profile's tokens are kept.
package enum VaultChoice: Sendable, Hashable {
    case memory
    case file
    /// A credential helper, by its name.
    case helper(String)
}

extension VaultChoice: CustomStringConvertible {
    /// As a profile writes it.
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
    /// The file's name without its ending: the profile's, unless the file says another.
    package var name: String
    package var text: String
    /// What errors begin with.
    package var file: String

    package init(name: String, text: String, file: String) {
        self.name = name
        self.text = text
        self.file = file
    }

    package static func builtIn(_ name: String) -> ProfileSource? {
        Dialect.builtInSources[name].map {
            ProfileSource(name: name, text: $0, file: "\(name).toml")
        }
    }
}
