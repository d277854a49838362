import Basics
import CYAML

/// Reads the first document of a YAML file as JSON has its contents.
///
/// Values without quotes are texts, but for `true`, `false`, `null` and whole numbers; of an alias the
/// contents are copied, within the limit of all values.
struct YAMLReader {
    private static let depthLimit = 64
    private static let valueLimit = 100_000

    /// A list or a table whose end has not come.
    private struct Open {
        let isList: Bool
        let anchor: String?
        let countBefore: Int
        var values: [JSONValue] = []
        var members: [String: JSONValue] = [:]
        /// The key whose value comes next.
        var key: String?
    }

    private var open: [Open] = []
    private var anchors: [String: (value: JSONValue, count: Int)] = [:]
    private var count = 0
    private var result: JSONValue?

    /// Returns the contents, or `nil` unless they are YAML within the limits.
    static func read(_ bytes: [UInt8]) -> JSONValue? {
        var reader = YAMLReader()
        return reader.read(bytes)
    }

    private mutating func read(_ bytes: [UInt8]) -> JSONValue? {
        var parser = yaml_parser_t()
        guard yaml_parser_initialize(&parser) == 1 else { return nil }
        defer { yaml_parser_delete(&parser) }
        return bytes.withUnsafeBufferPointer { input in
            yaml_parser_set_input_string(&parser, input.baseAddress, input.count)
            while result == nil {
                var event = yaml_event_t()
                guard yaml_parser_parse(&parser, &event) == 1 else { return nil }
                defer { yaml_event_delete(&event) }
                guard event.type != YAML_STREAM_END_EVENT, take(event) else { return nil }
            }
            return result
        }
    }

    /// - Returns: Whether the document is within the limits.
    private mutating func take(_ event: yaml_event_t) -> Bool {
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length),
                as: UTF8.self
            )
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            return add(isPlain ? Self.resolved(text) : .string(text), Self.name(scalar.anchor), 1)
        case YAML_ALIAS_EVENT:
            guard let name = Self.name(event.data.alias.anchor), let copy = anchors[name] else {
                return false
            }
            return add(copy.value, nil, copy.count)
        case YAML_SEQUENCE_START_EVENT:
            return begin(isList: true, Self.name(event.data.sequence_start.anchor))
        case YAML_MAPPING_START_EVENT:
            return begin(isList: false, Self.name(event.data.mapping_start.anchor))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            guard let last = open.popLast() else { return false }
            let size = count - last.countBefore
            count = last.countBefore
            let value = last.isList ? JSONValue.array(last.values) : .object(last.members)
            return add(value, last.anchor, size + 1)
        default: return true
        }
    }

    private mutating func begin(isList: Bool, _ anchor: String?) -> Bool {
        open.append(Open(isList: isList, anchor: anchor, countBefore: count))
        return open.count <= Self.depthLimit
    }

    private mutating func add(_ value: JSONValue, _ anchor: String?, _ size: Int) -> Bool {
        count += size
        guard count <= Self.valueLimit else { return false }
        if let anchor { anchors[anchor] = (value, size) }
        guard let last = open.indices.last else {
            result = value
            return true
        }
        if open[last].isList {
            open[last].values.append(value)
        } else if let key = open[last].key {
            open[last].members[key] = value
            open[last].key = nil
        } else {
            open[last].key = value.displayText ?? ""
        }
        return true
    }

    private static func name(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        text.map { String(cString: $0) }
    }

    private static func resolved(_ text: String) -> JSONValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default:
            guard let number = Int64(text), String(number) == text else { return .string(text) }
            return .integer(number)
        }
    }
}
