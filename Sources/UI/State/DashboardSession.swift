package import Model

/// One of the sessions on the screen: its configuration, and the user's view of it.
package struct DashboardSession: Sendable, Equatable {
    package let id: SessionID
    /// The credentials of a login, in order.
    package var credentials: [CredentialField]
    /// The faults of the built-in backend that are enabled at first, as the user writes them.
    package var faults: [String]
    /// Whether the backend is on this machine.
    package var isLocal: Bool
    /// The content type of the user's own request.
    package var bodyType: String
    /// Whether automatic renewal waits while the terminal is in the background.
    package var pausesInBackground: Bool
    /// The user's own requests, of this run and earlier ones.
    package var requestHistory: RequestHistory
    /// What is known of the sandbox's faults, since their list was opened.
    package internal(set) var knownFaults = KnownFaults()
    package internal(set) var lists: [PaneID: ListState] = [:]
    package internal(set) var lifeline = LifelineView()
    /// How urgent an app's session is, which only its events change; `nil` if time does, too.
    var concern: SessionStrip.Urgency?

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
