import Tokens

/// A body with gaps: what a login sends, and what its receiver finds in it.
extension JSONValue {
    /// Every string with its gaps filled; a gap without a value becomes nothing.
    func filled(_ values: [String: Secret]) -> JSONValue {
        switch self {
        case .string(let text):
            return .string(PlaceholderText(text).filled { values[$0]?.reveal() })
        case .array(let elements):
            return .array(elements.map { $0.filled(values) })
        case .object(let members):
            return .object(members.mapValues { $0.filled(values) })
        case .null, .bool, .integer, .number:
            return self
        }
    }

    /// The names of all gaps, in no order.
    var placeholders: Set<String> {
        switch self {
        case .string(let text): return Set(PlaceholderText(text).names)
        case .array(let elements):
            return elements.reduce(into: []) { $0.formUnion($1.placeholders) }
        case .object(let members):
            return members.values.reduce(into: []) { $0.formUnion($1.placeholders) }
        case .null, .bool, .integer, .number: return []
        }
    }

    var hasPlaceholders: Bool { !placeholders.isEmpty }

    /// The values that fill this template's gaps in `body`.
    func values(in body: JSONValue) -> [String: String] {
        switch (self, body) {
        case (.string(let template), _):
            guard let text = body.displayText,
                let found = PlaceholderText(template).value(in: text)
            else { return [:] }
            return [found.name: found.value]
        case (.object(let templates), .object(let members)):
            return templates.reduce(into: [:]) { result, template in
                guard let member = members[template.key] else { return }
                result.merge(template.value.values(in: member)) { first, _ in first }
            }
        case (.array(let templates), .array(let elements)):
            return zip(templates, elements).reduce(into: [:]) { result, pair in
                result.merge(pair.0.values(in: pair.1)) { first, _ in first }
            }
        case (.object, _), (.array, _), (.null, _), (.bool, _), (.integer, _), (.number, _):
            return [:]
        }
    }

    /// With one more value under a dotted path; whatever stands in the way is replaced.
    func setting(_ value: JSONValue, at path: String) -> JSONValue {
        let parts = path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let key = parts.first.map(String.init) else { return self }
        var members: [String: JSONValue] = [:]
        if case .object(let existing) = self { members = existing }
        if parts.count == 1 {
            members[key] = value
        } else {
            let inner = members[key] ?? .object([:])
            members[key] = inner.setting(value, at: String(parts[1]))
        }
        return .object(members)
    }

    /// The members as names and texts, in alphabetical order: a form's body.
    var pairs: [(name: String, value: String)] {
        guard case .object(let members) = self else { return [] }
        return members.sorted { $0.key < $1.key }
            .compactMap { member in member.value.displayText.map { (member.key, $0) } }
    }
}
