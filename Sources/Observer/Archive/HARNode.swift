import Basics

/// Why a file is no HTTP archive.
package struct HARProblem: Error, Sendable, Hashable {
    /// Where it is not one, such as `log.entries[3].request.url`.
    package let place: String
    /// The expected and the found value.
    package let message: String
}

/// A value of an HTTP archive, which knows its place.
struct HARNode {
    let value: JSONValue
    let place: String

    /// Returns a member.
    ///
    /// - Throws: `HARProblem` if there is none.
    func member(_ key: String) throws(HARProblem) -> HARNode {
        guard let member = try optional(key) else {
            throw HARProblem(place: joined(key), message: "expected a value, found none")
        }
        return member
    }

    /// Returns a member, or `nil` if there is none or it is null.
    func optional(_ key: String) throws(HARProblem) -> HARNode? {
        guard case .object(let members) = value else { throw problem("an object") }
        guard let member = members[key], member != .null else { return nil }
        return HARNode(value: member, place: joined(key))
    }

    func elements() throws(HARProblem) -> [HARNode] {
        guard case .array(let elements) = value else { throw problem("an array") }
        return elements.enumerated().map { index, element in
            HARNode(value: element, place: "\(place)[\(index)]")
        }
    }

    func text() throws(HARProblem) -> String {
        guard case .string(let text) = value else { throw problem("text") }
        return text
    }

    /// The text of a value that may be written as a number, or as true or false.
    func scalarText() throws(HARProblem) -> String {
        guard let text = value.displayText else { throw problem("text") }
        return text
    }

    func number() throws(HARProblem) -> Double {
        switch value {
        case .integer(let number): return Double(number)
        case .number(let number) where number.isFinite: return number
        default: throw problem("a number")
        }
    }

    /// The texts of a list of objects with a name and a value.
    func fields() throws(HARProblem) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for element in try elements() {
            // Some tools write a form's fields as they have parsed them.
            let value = try element.optional("value")?.value
            let text = value?.displayText ?? value?.serialized
            fields.append((try element.member("name").text(), text ?? ""))
        }
        return fields
    }

    func problem(_ expected: String) -> HARProblem {
        HARProblem(
            place: place.isEmpty ? "the file" : place,
            message: "expected \(expected), found \(kind)"
        )
    }

    private func joined(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

    /// The kind of the value, without the value: it may be a secret.
    private var kind: String {
        switch value {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .number: "a number"
        case .string(let text): text.isEmpty ? "an empty text" : "another text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
