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
    /// The backend's id of the user.
    package var subject: String?
    /// The user's name, to be shown.
    package var displayName: String?
    /// Further details, in the dialect's order.
    package var account: [AccountDetail]
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
        subject: String? = nil,
        displayName: String? = nil,
        account: [AccountDetail] = []
    ) {
        self.access = access
        self.refresh = refresh
        self.idToken = idToken
        self.accessEvidence = accessEvidence
        self.refreshEvidence = refreshEvidence
        self.subject = subject
        self.displayName = displayName
        self.account = account
    }
}

/// A detail about the account or its tokens, such as whether the user is new: untrusted, but on one
/// line, bounded, and without a part of a token.
package struct AccountDetail: Sendable, Hashable, Codable {
    /// The key path of the detail.
    package var path: String
    package var value: String

    package init(path: String, value: String) {
        self.path = path
        self.value = value
    }

    /// The last key of the path.
    package var name: String {
        path.parts(at: ".").last.map(String.init) ?? path
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
