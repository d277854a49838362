/// What is settled before the first frame.
package struct DashboardConfiguration: Sendable, Equatable {
    /// Of the person's zone, east of Greenwich.
    package var utcOffsetSeconds: Int
    package var theme: Theme.Name
    /// False: no colour whatever theme is asked for (`NO_COLOR`, `--no-color`).
    package var hasColour: Bool
    package var isASCII: Bool
    /// Seconds without a key after which the screen locks; `nil`: never by itself.
    package var lockAfter: Double?

    package init(
        utcOffsetSeconds: Int = 0,
        theme: Theme.Name = .dark,
        hasColour: Bool = true,
        isASCII: Bool = false,
        lockAfter: Double? = nil
    ) {
        self.utcOffsetSeconds = utcOffsetSeconds
        self.theme = theme
        self.hasColour = hasColour
        self.isASCII = isASCII
        self.lockAfter = lockAfter
    }
}
