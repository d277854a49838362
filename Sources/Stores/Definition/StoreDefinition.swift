/// Where a program keeps its sessions on this machine, as one file of `assets/stores` says.
package struct StoreDefinition: Sendable, Hashable {
    /// What brings the next tokens.
    package enum Renewal: String, Sendable, Hashable, CaseIterable {
        /// The program itself, when it is used next.
        case program
        /// Nothing but a login by the user.
        case login
    }

    /// The name of the file without its ending.
    package let name: String
    /// The program or the provider, as users know it.
    package let title: String
    package let renewal: Renewal?
    /// The command that renews, or that logs in again.
    package let command: String?
    /// Whether a refresh token can be used once only, if that is known.
    package let isOneTime: Bool?
    package let files: [StoreFiles]
}

/// Files of one form.
package struct StoreFiles: Sendable, Hashable {
    package enum Format: String, Sendable, Hashable, CaseIterable {
        case json, yaml, toml, ini, sqlite, netrc
        /// A token, and nothing else.
        case plain
        /// A URL with a user and a password on each line, as git writes them.
        case urls
    }

    /// The places, each below `~/`, a variable of the environment, or the root; `*` stands for any
    /// text within a name.
    package let paths: [StorePath]
    package let format: Format
    package let sessions: [SessionPlaces]
}

/// The places of a session's parts in a document, of which the first that is there counts.
package struct SessionPlaces: Sendable, Hashable {
    /// The entries, each of which is a session; the whole document without it.
    package let each: DocumentPath?
    /// What an entry must have, and at which place.
    package let conditions: [Condition]
    package let access: [DocumentPath]
    package let refresh: [DocumentPath]
    package let idToken: [DocumentPath]
    package let accessEnd: [DocumentPath]
    package let refreshEnd: [DocumentPath]
    /// When the refresh token has ended at the latest.
    package let refreshLimit: [DocumentPath]
    /// Seconds that the access token lives from `issued`, or from the time of the file.
    package let lifetime: [DocumentPath]
    package let issued: [DocumentPath]
    package let account: [DocumentPath]
    package let issuer: [DocumentPath]
    package let client: [DocumentPath]
    /// Entries of a file that are equal in it are parts of one session.
    package let group: [DocumentPath]
    /// Whether the program has something in another place that brings the next access token.
    package let isRenewedFromElsewhere: Bool
    /// What is there, in the entry or else in the whole document, if an entry without a token has it in a
    /// keyring.
    package let inKeyring: [DocumentPath]

    package struct Condition: Sendable, Hashable {
        package let place: DocumentPath
        package let value: String
    }
}
