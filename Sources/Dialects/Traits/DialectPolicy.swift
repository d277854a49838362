/// Where a dialect or a profile overrides the common renewal policy.
package struct DialectPolicy: Sendable, Hashable {
    /// How long before the access token's end a refresh is due, in seconds; the policy clamps it.
    package var lead: Double?
    /// Sign out after so many transient failures in a row with a dead access token.
    ///
    /// Nil means never, because an outage is not a verdict.
    package var giveUpAfter: Int?

    package init(lead: Double? = nil, giveUpAfter: Int? = nil) {
        self.lead = lead
        self.giveUpAfter = giveUpAfter
    }
}
