/// A filter of a list: words and `field:value` terms that must all match, each negated by a leading
/// `!`, with alternatives after `|`.
///
/// `status:401|403` is a term with two alternatives; a `|` between spaces separates filters of which
/// one must match: `status:401 | why:feed`.
struct Filter: Sendable, Equatable {
    /// One alternative of a term.
    struct Condition: Sendable, Equatable {
        /// The field, or `nil` for the whole entry.
        var field: String?
        var pattern: FilterPattern
    }

    /// Conditions of which one must be met, or none if it is negated.
    struct Term: Sendable, Equatable {
        var conditions: [Condition]
        var isNegated: Bool
    }

    /// A value that its field cannot have, which excludes nothing.
    struct Mistake: Sendable, Equatable {
        var field: FilterField
        var found: String

        var message: String {
            "\(field.name): expected \(field.expected), found “\(found)”"
        }
    }

    let text: String
    /// Groups of terms: all terms of one group must match.
    let groups: [[Term]]
    let mistakes: [Mistake]
    /// Words before a colon that look like a field and are none: `foo` of `foo:bar`.
    let unknownFields: [String]

    init() {
        text = ""
        groups = []
        mistakes = []
        unknownFields = []
    }

    /// `fields` are the fields there are; a colon after anything else is a part of the text.
    init(_ text: String, fields: [FilterField]) {
        self.text = text
        let words = text.split(separator: " ").map(String.init)
        var mistakes: [Mistake] = []
        groups = words.split(separator: "|")
            .map { group in group.compactMap { Self.term($0, fields: fields, &mistakes) } }
            .filter { !$0.isEmpty }
        self.mistakes = mistakes
        unknownFields = words.compactMap { word in
            let word = word.hasPrefix("!") ? word.dropFirst() : word[...]
            guard let match = word.prefixMatch(of: /([A-Za-z]+):[^\/]/) else { return nil }
            let name = match.output.1.lowercased()
            return fields.contains { $0.name == name } ? nil : name
        }
    }

    var isEmpty: Bool { groups.isEmpty }

    /// Whether an entry for which `meets` answers passes.
    func passes(_ meets: (Condition) -> Bool) -> Bool {
        isEmpty
            || groups.contains { group in
                group.allSatisfy { $0.conditions.contains(where: meets) != $0.isNegated }
            }
    }

    /// A term that is still being written, such as `status:`, excludes nothing.
    private static func term(
        _ word: String,
        fields: [FilterField],
        _ mistakes: inout [Mistake]
    ) -> Term? {
        let isNegated = word.hasPrefix("!")
        let word = isNegated ? String(word.dropFirst()) : word
        let colon = word.firstIndex(of: ":") ?? word.startIndex
        let field = fields.first { $0.name == word[..<colon].lowercased() }
        let values = field == nil ? word[...] : word[word.index(after: colon)...]
        let conditions = values.split(separator: "|").compactMap { value -> Condition? in
            let value = String(value)
            guard let field else {
                return Condition(field: nil, pattern: .text(Needle(value)))
            }
            guard let pattern = field.pattern(value) else {
                mistakes.append(Mistake(field: field, found: value))
                return nil
            }
            return Condition(field: field.name, pattern: pattern)
        }
        return conditions.isEmpty ? nil : Term(conditions: conditions, isNegated: isNegated)
    }
}

extension Filter {
    /// `/status:401 3 of 120`.
    func line(matching count: Int, of all: Int) -> Line {
        let counts = [count, all].map(CountFormatter.grouped)
        return Line("/\(text) \(counts[0]) of \(counts[1])", .warning)
    }

    /// What stands in place of the entries if none matches.
    func linesForNothing(among fields: [FilterField]) -> [Line] {
        let none = Line("nothing matches the filter", .dim)
        guard let unknown = unknownFields.first else { return [none] }
        let names = FilterField.names(of: fields)
        return [none, Line("\(unknown): is no field here: \(names)", .warning)]
    }
}
