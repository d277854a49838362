package import Lifecycle

/// One of the sessions on the screen: what is settled about it, and how a person looks at it.
package struct DashboardSession: Sendable, Equatable {
    package let id: SessionID
    /// What a login needs, in the order in which it is asked for.
    package var credentials: [CredentialField]
    /// The faults of the built-in backend that are on, as a person writes them.
    package var faults: [String]
    /// Whether the backend is on this machine.
    package var isLocal: Bool
    /// The type of the body of a person's own request.
    package var bodyType: String
    /// Whether automatic renewal waits while the terminal is in the background.
    package var pausesInBackground: Bool
    /// The requests that a person wrote, of this run and before.
    package var requestHistory: RequestHistory
    package internal(set) var lists: [PaneID: ListState] = [:]

    package init(
        id: SessionID,
        credentials: [CredentialField] = [],
        faults: [String] = [],
        isLocal: Bool = false,
        bodyType: String = "application/json",
        pausesInBackground: Bool = false,
        requestHistory: RequestHistory = RequestHistory()
    ) {
        self.id = id
        self.credentials = credentials
        self.faults = faults
        self.isLocal = isLocal
        self.bodyType = bodyType
        self.pausesInBackground = pausesInBackground
        self.requestHistory = requestHistory
    }
}
