package import Tokens

/// What a successful answer to a login or a refresh held.
package struct IssuedTokens: Sendable, Hashable {
    package var access: AccessToken
    /// `nil` when the answer had none, or an empty one: the old one stays.
    package var refresh: RefreshToken?
    package var accessEvidence: [ExpiryEvidence]
    package var refreshEvidence: [ExpiryEvidence]
    /// Who the tokens are for, as the backend numbers its users.
    package var subject: String?
    /// What the backend calls the user, to be shown.
    package var displayName: String?
    /// What else the answer told, in the dialect's order.
    package var account: [AccountDetail]

    package init(
        access: AccessToken,
        refresh: RefreshToken?,
        accessEvidence: [ExpiryEvidence] = [],
        refreshEvidence: [ExpiryEvidence] = [],
        subject: String? = nil,
        displayName: String? = nil,
        account: [AccountDetail] = []
    ) {
        self.access = access
        self.refresh = refresh
        self.accessEvidence = accessEvidence
        self.refreshEvidence = refreshEvidence
        self.subject = subject
        self.displayName = displayName
        self.account = account
    }
}

/// One thing that an answer tells about the account or its tokens, such as whether the user is new:
/// a server's data, in one line, bounded and without a part of a token.
package struct AccountDetail: Sendable, Hashable {
    /// The key path of its place, as the dialect names it.
    package var path: String
    package var value: String

    package init(path: String, value: String) {
        self.path = path
        self.value = value
    }

    /// The last key of the path.
    package var name: String {
        path.split(separator: ".").last.map(String.init) ?? path
    }
}

extension IssuedTokens {
    /// The tokens themselves.
    package var secrets: [Secret] { [access.secret] + (refresh.map { [$0.secret] } ?? []) }
}
