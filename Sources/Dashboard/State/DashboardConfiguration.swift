/// What is settled before the first frame.
package struct DashboardConfiguration: Sendable, Equatable {
    /// Of the person's zone, east of Greenwich.
    package var utcOffsetSeconds: Int
    package var theme: Theme.Name
    /// False: no colour whatever theme is asked for (`NO_COLOR`, `--no-color`).
    package var hasColour: Bool
    package var isASCII: Bool
    /// What a login needs, in the order in which it is asked for.
    package var credentials: [CredentialField]
    /// The faults of the built-in backend that were asked for, as they were written.
    package var faults: [String]
    /// The type of the body of a person's own request.
    package var bodyType: String
    /// Whether automatic renewal waits while the terminal is in the background.
    package var pausesInBackground: Bool
    /// Seconds without a key after which the screen locks; `nil`: never by itself.
    package var lockAfter: Double?

    package init(
        utcOffsetSeconds: Int = 0,
        theme: Theme.Name = .dark,
        hasColour: Bool = true,
        isASCII: Bool = false,
        credentials: [CredentialField] = [],
        faults: [String] = [],
        bodyType: String = "application/json",
        pausesInBackground: Bool = false,
        lockAfter: Double? = nil
    ) {
        self.utcOffsetSeconds = utcOffsetSeconds
        self.theme = theme
        self.hasColour = hasColour
        self.isASCII = isASCII
        self.credentials = credentials
        self.faults = faults
        self.bodyType = bodyType
        self.pausesInBackground = pausesInBackground
        self.lockAfter = lockAfter
    }
}
