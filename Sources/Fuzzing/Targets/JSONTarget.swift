import FoundationEssentials

@testable import Basics

/// A body as JSON, compared with Foundation's result for the same bytes.
enum JSONTarget: FuzzTarget {
    static let name = "json"

    static func read(_ bytes: [UInt8]) {
        guard let value = JSONValue(parsing: bytes) else { return }
        let text = value.serialized
        require(JSONValue(parsing: Array(text.utf8)) == value, "JSON reads as it was written")
        guard let other = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else {
            return require(false, "Foundation reads it too")
        }
        // Of two members with the same name, Foundation takes the first, and we, like browsers, the
        // last.
        if !repeatsName(bytes) { require(isSame(value, other), "Foundation reads the same") }
        _ = value.value(at: "data.accessToken")
        _ = value.displayText
    }

    /// Returns whether any two members have the same name, in one object or in several.
    private static func repeatsName(_ bytes: [UInt8]) -> Bool {
        var names: Set<JSONValue> = []
        var rest = bytes[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "\"")) {
            var end = start + 1
            while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
                end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            guard end < bytes.count else { return false }
            rest = bytes[(end + 1)...]
            let follower = rest.first { !" \t\r\n".utf8.contains($0) }
            guard follower == UInt8(ascii: ":") else { continue }
            let name = JSONValue(parsing: Array(bytes[start...end]))
            if let name, !names.insert(name).inserted { return true }
        }
        return false
    }

    /// Compares values; numbers only as far as they are exact, as Foundation drops fractions above
    /// 2⁵³.
    private static func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
        switch (one, other) {
        case (.array(let ones), .array(let others)):
            return ones.count == others.count && zip(ones, others).allSatisfy(isSame)
        case (.object(let ones), .object(let others)):
            return ones.count == others.count
                && ones.allSatisfy { key, one in others[key].map { isSame(one, $0) } ?? false }
        case (.integer, .integer), (.integer, .number), (.number, .integer), (.number, .number):
            guard let one = one.numberValue, let other = other.numberValue else { return false }
            return abs(one - other) <= abs(one) * 3e-16
        default:
            return one == other
        }
    }
}
