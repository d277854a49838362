import Basics

/// Names of what a user or a client proves itself by, or is known by.
package struct CredentialNames: Sendable {
    private let secrets: NameList
    private let proofs: NameList
    private let forgeryTokens: NameList
    private let users: NameList
    private let words: NameList
    private let vocabulary: NameList
    private let hidden: NameList
    private let names: SecretNames

    init(_ lists: RecognitionLists) {
        secrets = lists.names(.credentialsSecret)
        proofs = lists.names(.credentialsProof)
        forgeryTokens = lists.names(.credentialsForgery)
        users = lists.names(.credentialsUser)
        words = lists.names(.credentialsWords)
        vocabulary = lists.names(.credentialsVocabulary)
        hidden = lists.names(.parametersHidden)
        names = SecretNames(lists)
    }

    /// Whether a key's value is a credential of a user or a client.
    package func isCredential(_ name: String) -> Bool { secrets.contains(name.plainName) }

    /// Whether a key's value proves who has sent the request.
    package func isProof(_ name: String) -> Bool {
        let name = name.plainName
        return secrets.contains(name) || forgeryTokens.contains(name) || proofs.contains(name)
    }

    /// Whether a name is that of a value against forged requests.
    package func isForgeryToken(_ name: String) -> Bool { forgeryTokens.contains(name.plainName) }

    /// Whether a key's value names the user.
    package func isUserName(_ name: String) -> Bool { users.contains(name.plainName) }

    /// Whether a key's value is a word of the protocol, or the public name of a client.
    package func isProtocolWord(_ name: String) -> Bool { words.contains(name.plainName) }

    /// Whether a value is a word of a protocol, whatever its key is.
    package func isVocabulary(_ value: String) -> Bool { vocabulary.contains(value.plainName) }

    /// Whether the value of a parameter must not be shown, although it is no token.
    package func isSecret(_ name: String) -> Bool {
        let plain = name.plainName
        return secrets.contains(plain) || hidden.contains(plain) || names.isSecret(plain)
    }
}
