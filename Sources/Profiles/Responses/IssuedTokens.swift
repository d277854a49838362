package import Basics

/// The contents of a successful response to a login or a refresh.
package struct IssuedTokens: Sendable, Hashable {
    package var access: AccessToken
    /// The refresh token, or `nil` if the response had none, or an empty one: the old one stays.
    package var refresh: RefreshToken?
    /// The id token, or `nil` if the response had none.
    package var idToken: IDToken?
    package var accessEvidence: [ExpiryEvidence]
    package var refreshEvidence: [ExpiryEvidence]
    /// The response's other statements about the pair.
    package var statements: PairStatements
    /// The response's statement about the captured values.
    package var captured = CaptureChange.none
    /// Whether the response deletes the cookie that was the refresh token, and brings no other.
    package var endsRefreshToken = false

    package init(
        access: AccessToken,
        refresh: RefreshToken?,
        idToken: IDToken? = nil,
        accessEvidence: [ExpiryEvidence] = [],
        refreshEvidence: [ExpiryEvidence] = [],
        statements: PairStatements = PairStatements()
    ) {
        self.access = access
        self.refresh = refresh
        self.idToken = idToken
        self.accessEvidence = accessEvidence
        self.refreshEvidence = refreshEvidence
        self.statements = statements
    }
}

extension IssuedTokens {
    /// The statements about expiries that cannot be used.
    package var unusableExpiries: UnusableExpiries {
        UnusableExpiries(
            access: accessEvidence.compactMap(\.unusable),
            refresh: refreshEvidence.compactMap(\.unusable)
        )
    }

    /// The tokens themselves, and the captured values.
    package var secrets: [Secret] {
        [access.secret, refresh?.secret, idToken?.secret].compactMap(\.self)
            + CapturedValues(captured.values).secrets
    }
}
