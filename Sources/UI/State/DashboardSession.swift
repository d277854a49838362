import Basics
package import Model

/// One of the sessions on the screen: its configuration, and the user's view of it.
package struct DashboardSession: Sendable, Equatable {
    let id: SessionID
    /// The credentials of a login, in order.
    var credentials: [CredentialField]
    /// The faults of the built-in backend that are enabled at first, as the user writes them.
    var faults: [String]
    /// Whether the backend is on this machine.
    var isLocal: Bool
    /// The content type of the user's own request.
    var bodyType: String
    /// Whether automatic renewal waits while the terminal is in the background.
    var pausesInBackground: Bool
    /// The user's own requests, of this run and earlier ones.
    var requestHistory: RequestHistory
    /// The state of the sandbox's faults, since their list was opened.
    var knownFaults = KnownFaults()
    var lists: [PaneID: ListState] = [:]
    var lifeline = LifelineView()
    /// What a frame needs of every session, visible or not, and only events change.
    var digest = Digest()
    /// The last look at an app's session, or at one of very many, which its events change; `nil` if
    /// each frame needs one of its own, because time changes it, too.
    var glance: SessionGlance?

    struct Digest: Sendable, Equatable {
        /// Whether it is an app's session, or has requests.
        var isSeen = false
        /// The columns of its name, if it is an app's.
        var nameColumns = 0
        /// When words or colors change, and no event says so.
        var crossings: [Instant] = []
    }

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
