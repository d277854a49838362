package import Tokens

/// What a successful answer to a login or a refresh held.
package struct IssuedTokens: Sendable, Hashable {
    package var access: AccessToken
    /// Nil when the answer had none, or an empty one: the old one stays.
    package var refresh: RefreshToken?
    package var accessEvidence: [ExpiryEvidence]
    package var refreshEvidence: [ExpiryEvidence]
    /// Who the tokens are for, as the backend numbers its users.
    package var subject: String?
    /// What the backend calls the user, to be shown.
    package var displayName: String?

    package init(
        access: AccessToken,
        refresh: RefreshToken?,
        accessEvidence: [ExpiryEvidence] = [],
        refreshEvidence: [ExpiryEvidence] = [],
        subject: String? = nil,
        displayName: String? = nil
    ) {
        self.access = access
        self.refresh = refresh
        self.accessEvidence = accessEvidence
        self.refreshEvidence = refreshEvidence
        self.subject = subject
        self.displayName = displayName
    }
}

extension IssuedTokens {
    /// The tokens themselves.
    package var secrets: [Secret] { [access.secret] + (refresh.map { [$0.secret] } ?? []) }
}
