package import Tokens

/// One of a user's active sessions, as a backend lists it: all of it is a server's data.
package struct ListedSession: Sendable, Hashable {
    /// As it is shown: in one line, bounded, and without a secret.
    package var id: String
    /// What the backend calls it, where a secret in it is not shown.
    package var exactID: Secret?
    /// Whether what the backend said is known verbatim, so that it can be named to it.
    package var isExact: Bool
    /// The device, or whatever else tells a person which one it is.
    package var name: String?
    /// Seconds since 1970.
    package var startedAt: Double?
    /// Seconds since 1970.
    package var lastUsedAt: Double?
    /// Whether it is the session that asked, or `nil` if the backend does not tell.
    package var isCurrent: Bool?

    package init(
        id: String,
        exactID: Secret? = nil,
        isExact: Bool = true,
        name: String? = nil,
        startedAt: Double? = nil,
        lastUsedAt: Double? = nil,
        isCurrent: Bool? = nil
    ) {
        self.id = id
        self.exactID = exactID
        self.isExact = isExact
        self.name = name
        self.startedAt = startedAt
        self.lastUsedAt = lastUsedAt
        self.isCurrent = isCurrent
    }
}
