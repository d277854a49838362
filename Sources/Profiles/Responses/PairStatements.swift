package import Basics

/// A backend's statements about a pair besides its tokens and their ends: untrusted, but each on one
/// line, bounded, and without a part of a token.
///
/// An answer, a stored pair and the description of a pair have them as they are. A further one is
/// declared here, read by `TokenParser`, and shown; it is optional, because no earlier record or
/// recording has it.
package struct PairStatements: Sendable, Hashable {
    /// The backend's id of the user.
    package var subject: String?
    /// The user's name, to be shown.
    package var displayName: String?
    /// Further details, in the dialect's order.
    package var account: [AccountDetail]
    /// The scopes of the tokens: those of the answer or, if a login's states none, those that the
    /// client asked for (RFC 6749 section 5.1).
    package var scopes: [String]?

    package init(
        subject: String? = nil,
        displayName: String? = nil,
        account: [AccountDetail] = [],
        scopes: [String]? = nil
    ) {
        self.subject = subject
        self.displayName = displayName
        self.account = account
        self.scopes = scopes
    }

    /// The user's name, or else the id.
    package var user: String? { displayName ?? subject }

    /// Replaces the statements that a newer answer repeats or changes.
    package mutating func update(from newer: PairStatements) {
        subject = newer.subject ?? subject
        displayName = newer.displayName ?? displayName
        if !newer.account.isEmpty { account = newer.account }
        scopes = newer.scopes ?? scopes
    }

    /// Returns the statements with secrets hidden in the user's id and name, and no scopes that have one.
    package func hiding(_ secrets: KnownSecrets) -> PairStatements {
        var statements = self
        statements.subject = subject.map(secrets.hiding(in:))
        statements.displayName = displayName.map(secrets.hiding(in:))
        if let scopes, Scopes.areSecret(scopes, by: { _ in secrets }) { statements.scopes = nil }
        return statements
    }
}

extension PairStatements: Codable {
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        subject = try values.decodeIfPresent(String.self, forKey: .subject)
        displayName = try values.decodeIfPresent(String.self, forKey: .displayName)
        // Records of the first releases have none.
        account = try values.decodeIfPresent([AccountDetail].self, forKey: .account) ?? []
        scopes = try values.decodeIfPresent([String].self, forKey: .scopes)
    }
}

/// A detail about the account or its tokens, such as whether the user is new.
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
