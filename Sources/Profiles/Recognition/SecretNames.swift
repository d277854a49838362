import Basics

/// Names under which messages have secrets, whatever the rest of them is.
package final class SecretNames: Sendable {
    /// What a name says of its value.
    private struct Meaning: Sendable {
        var isSecret = false
        var isCode = false
        var holdsSecret = false
        var isFact = false
    }

    private let meanings: NameMeanings<Meaning>
    private let schemes: NameList
    /// Members of an object with the name of the `value` beside them, exactly.
    let labels: [String]

    init(_ lists: RecognitionLists) {
        let names = lists.names(.secretsNames)
        let parts = lists.words(.secretsParts).map(\.plainName)
        let ends = parts.flatMap { part in ["", "s", "value"].map { part + $0 } }
        let codes = lists.names(.secretsCodes)
        let codeKinds = lists.names(.secretsCodeKinds)
        let otherCodes = lists.names(.secretsOtherCodes)
        let facts = lists.names(.secretsFacts)
        let measures = lists.names(.secretsMeasures)
        schemes = lists.names(.secretsSchemes)
        labels = lists.words(.secretsLabels)
        meanings = NameMeanings { name in
            var meaning = Meaning()
            meaning.isCode =
                codes.contains(name)
                || (name.ends(with: "code") || name.ends(with: "codes"))
                    && !otherCodes.contains(name) && codeKinds.contains(name)
            let isNamed = names.contains(name) || meaning.isCode
            let isFact = facts.contains(name)
            meaning.isSecret =
                isNamed || !isFact && parts.contains { name.containsBytes(of: $0) }
            meaning.holdsSecret =
                isNamed || meaning.isSecret && ends.contains { name.ends(with: $0) }
            meaning.isFact = isFact || measures.contains(name)
            return meaning
        }
    }

    /// Whether a name says that its value is a secret, or holds secrets.
    func isSecret(_ name: some StringProtocol) -> Bool {
        name.utf8.count <= Self.longest && meanings[name].isSecret
    }

    /// Whether a name says that its value is a code that is good for a login, which may be a number.
    func isCode(_ name: some StringProtocol) -> Bool { meanings[name].isCode }

    /// Whether a name is that of secrets themselves, and not of something about them, as
    /// `token_type_hint` is.
    package func holdsSecret(_ name: String) -> Bool {
        name.utf8.count <= Self.longest && meanings[name].holdsSecret
    }

    /// Whether a name says something of a secret beside it, and holds none itself.
    func isFact(_ name: some StringProtocol) -> Bool { meanings[name].isFact }

    /// The size of the longest name of a secret, in bytes.
    private static let longest = 64

    /// Whether a word is a scheme of `Authorization` that a secret follows.
    func isScheme(_ word: some StringProtocol) -> Bool { schemes.contains(word.plainName) }
}
