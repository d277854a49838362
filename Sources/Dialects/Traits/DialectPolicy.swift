/// Where a dialect or a profile overrides the common renewal policy.
package struct DialectPolicy: Sendable, Hashable {
    /// How long before the access token's end a refresh is due, in seconds; the policy clamps it.
    package var lead: Double?
    /// Sign out after so many transient failures in a row with a dead access token.
    ///
    /// Nil means never, because an outage is not a verdict.
    package var giveUpAfter: Int?
    /// What is done where there is no refresh token.
    package var renewal: Renewal

    package enum Renewal: String, Sendable, Hashable, CaseIterable {
        /// The session lives as long as its tokens.
        case refresh
        /// Log in again without a person, as a client on its own behalf may.
        case login
    }

    package init(lead: Double? = nil, giveUpAfter: Int? = nil, renewal: Renewal = .refresh) {
        self.lead = lead
        self.giveUpAfter = giveUpAfter
        self.renewal = renewal
    }
}
