import Basics

/// Names under which messages have secrets, whatever the rest of them is.
package struct SecretNames: Sendable {
    private let names: NameList
    private let parts: [String]
    private let codes: NameList
    private let codeKinds: NameList
    private let otherCodes: NameList
    private let facts: NameList
    private let measures: NameList
    private let schemes: NameList
    /// Members of an object with the name of the `value` beside them, exactly.
    let labels: [String]

    init(_ lists: RecognitionLists) {
        names = lists.names(.secretsNames)
        parts = lists.words(.secretsParts).map(\.plainName)
        codes = lists.names(.secretsCodes)
        codeKinds = lists.names(.secretsCodeKinds)
        otherCodes = lists.names(.secretsOtherCodes)
        facts = lists.names(.secretsFacts)
        measures = lists.names(.secretsMeasures)
        schemes = lists.names(.secretsSchemes)
        labels = lists.words(.secretsLabels)
    }

    /// Whether a name says that its value is a secret, or holds secrets.
    func isSecret(_ name: some StringProtocol) -> Bool {
        guard name.utf8.count <= 64 else { return false }
        let name = name.plainName
        return names.contains(name) || isCode(name)
            || !facts.contains(name) && parts.contains { name.containsBytes(of: $0) }
    }

    /// Whether a name says that its value is a code that is good for a login, which may be a number.
    func isCode(_ name: some StringProtocol) -> Bool {
        let name = name.plainName
        guard !codes.contains(name) else { return true }
        guard name.ends(with: "code") || name.ends(with: "codes"), !otherCodes.contains(name)
        else { return false }
        return codeKinds.contains(name)
    }

    /// Whether a name is that of secrets themselves, and not of something about them, as
    /// `token_type_hint` is.
    package func holdsSecret(_ name: String) -> Bool {
        guard isSecret(name) else { return false }
        let name = name.plainName
        return names.contains(name) || isCode(name)
            || parts.contains { part in
                ["", "s", "value"].contains { name.ends(with: part + $0) }
            }
    }

    /// Whether a name says something of a secret beside it, and holds none itself.
    func isFact(_ name: some StringProtocol) -> Bool {
        let name = name.plainName
        return facts.contains(name) || measures.contains(name)
    }

    /// Whether a word is a scheme of `Authorization` that a secret follows.
    func isScheme(_ word: some StringProtocol) -> Bool { schemes.contains(word.plainName) }
}
