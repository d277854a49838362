/// A filter of a list: words and `field:value` terms that must all match, each negated by a leading
/// `!`.
package struct Filter: Sendable, Equatable {
    package struct Term: Sendable, Equatable {
        /// The field, or `nil` for the whole entry.
        package var field: String?
        package var needle: Needle
        package var isNegated: Bool
    }

    package let text: String
    package let terms: [Term]
    /// What stands like a field before a colon and is none: `foo` of `foo:bar`.
    package let unknownFields: [String]

    package init() {
        text = ""
        terms = []
        unknownFields = []
    }

    /// `fields` are the fields there are; a colon after anything else is a part of the text.
    package init(_ text: String, fields: [String]) {
        self.text = text
        let words = text.split(separator: " ").map(String.init)
        terms = words.compactMap { Self.term($0, fields: fields) }
        unknownFields = words.compactMap { word in
            let word = word.hasPrefix("!") ? word.dropFirst() : word[...]
            guard let match = word.prefixMatch(of: /([A-Za-z]+):[^\/]/) else { return nil }
            let name = match.output.1.lowercased()
            return fields.contains(name) ? nil : name
        }
    }

    package var isEmpty: Bool { terms.isEmpty }

    /// Whether an entry for which `contains` answers passes.
    package func passes(_ contains: (Term) -> Bool) -> Bool {
        terms.allSatisfy { contains($0) != $0.isNegated }
    }

    /// A term that is still being written, such as `status:`, excludes nothing.
    private static func term(_ word: String, fields: [String]) -> Term? {
        let isNegated = word.hasPrefix("!")
        let word = isNegated ? String(word.dropFirst()) : word
        guard let colon = word.firstIndex(of: ":"),
            fields.contains(word[..<colon].lowercased())
        else {
            return word.isEmpty
                ? nil : Term(field: nil, needle: Needle(word), isNegated: isNegated)
        }
        let value = String(word[word.index(after: colon)...])
        guard !value.isEmpty else { return nil }
        return Term(
            field: word[..<colon].lowercased(),
            needle: Needle(value),
            isNegated: isNegated
        )
    }
}
