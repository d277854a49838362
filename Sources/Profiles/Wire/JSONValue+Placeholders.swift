import Basics

/// A body with placeholders, which the client replaces and the sandbox matches.
extension JSONValue {
    /// Returns the value with all placeholders replaced; one without a value becomes empty.
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

    /// The names of all placeholders.
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

    /// Returns the values in `body` at the placeholders of this template.
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

    /// The size up to which a list is extended.
    private static let longestList = 64

    /// Returns the value with another one set at a dotted path; a list is made where its element 0 is
    /// set, and any other value that is neither an object nor a list is replaced on the way.
    func setting(_ value: JSONValue, at path: String) -> JSONValue {
        let parts = path.parts(at: ".", limit: 2, keepsEmpty: true)
        guard let key = parts.first.map(String.init) else { return self }
        func changed(_ old: JSONValue?) -> JSONValue {
            guard parts.count > 1 else { return value }
            let isList = parts[1].parts(at: ".", limit: 2)[0].utf8.elementsEqual("0".utf8)
            return (old ?? (isList ? [] : [:])).setting(value, at: String(parts[1]))
        }
        if case .array(var elements) = self, let index = Self.index(key), index < Self.longestList {
            while elements.count <= index { elements.append(.null) }
            elements[index] = changed(elements[index] == .null ? nil : elements[index])
            return .array(elements)
        }
        var members: [String: JSONValue] = [:]
        if case .object(let existing) = self { members = existing }
        members[key] = changed(members[key])
        return .object(members)
    }

    /// The members as names and texts, in alphabetical order, for a form's body.
    var pairs: [(name: String, value: String)] {
        guard case .object(let members) = self else { return [] }
        return members.sorted { $0.key < $1.key }
            .compactMap { member in member.value.displayText.map { (member.key, $0) } }
    }
}
