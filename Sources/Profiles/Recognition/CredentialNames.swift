import Basics

/// Names of what a user or a client proves itself by, or is known by.
package final class CredentialNames: Sendable {
    /// What a name says of its value.
    private struct Meaning: Sendable {
        var isCredential = false
        var isForgeryToken = false
        var isProof = false
        var isUserName = false
        var isProtocolWord = false
        var isSecret = false
    }

    private let meanings: NameMeanings<Meaning>
    private let vocabulary: NameList

    init(_ lists: RecognitionLists, _ secrets: SecretNames) {
        let credentials = lists.names(.credentialsSecret)
        let proofs = lists.names(.credentialsProof)
        let forgeryTokens = lists.names(.credentialsForgery)
        let users = lists.names(.credentialsUser)
        let words = lists.names(.credentialsWords)
        let hidden = lists.names(.parametersHidden)
        vocabulary = lists.names(.credentialsVocabulary)
        meanings = NameMeanings { name in
            var meaning = Meaning()
            meaning.isCredential = credentials.contains(name)
            meaning.isForgeryToken = forgeryTokens.contains(name)
            meaning.isProof =
                meaning.isCredential || meaning.isForgeryToken || proofs.contains(name)
            meaning.isUserName = users.contains(name)
            meaning.isProtocolWord = words.contains(name)
            meaning.isSecret =
                meaning.isCredential || hidden.contains(name) || secrets.isSecret(name)
            return meaning
        }
    }

    /// Whether a key's value is a credential of a user or a client.
    package func isCredential(_ name: String) -> Bool { meanings[name].isCredential }

    /// Whether a key's value proves who has sent the request.
    package func isProof(_ name: String) -> Bool { meanings[name].isProof }

    /// Whether a name is that of a value against forged requests.
    package func isForgeryToken(_ name: String) -> Bool { meanings[name].isForgeryToken }

    /// Whether a key's value names the user.
    package func isUserName(_ name: String) -> Bool { meanings[name].isUserName }

    /// Whether a key's value is a word of the protocol, or the public name of a client.
    package func isProtocolWord(_ name: String) -> Bool { meanings[name].isProtocolWord }

    /// Whether a value is a word of a protocol, whatever its key is.
    package func isVocabulary(_ value: String) -> Bool { vocabulary.contains(value.plainName) }

    /// Whether the value of a parameter must not be shown, although it is no token.
    package func isSecret(_ name: String) -> Bool { meanings[name].isSecret }
}
