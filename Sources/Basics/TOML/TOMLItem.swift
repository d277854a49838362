/// One value of a TOML file, with its position.
package struct TOMLItem: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case string(String)
        case integer(Int)
        case number(Double)
        case bool(Bool)
        case date
        case list([TOMLItem])
        case table([String: TOMLItem])
    }

    /// The name of the file, as errors show it.
    package let file: String
    /// The line, counted from 1.
    package let line: Int
    /// The value's key, or its index in a list.
    package let key: String
    /// The dotted path of what the value is in, from the top of the file; empty in the top.
    package let parent: String
    package let value: Value

    /// The dotted path from the top of the file; empty for the file itself.
    package var path: String { Self.path(key, in: parent) }

    static func path(_ key: String, in parent: String) -> String {
        parent.isEmpty ? key : "\(parent).\(key)"
    }

    package init(file: String, line: Int, key: String, parent: String, value: Value) {
        self.file = file
        self.line = line
        self.key = key
        self.parent = parent
        self.value = value
    }

    /// Returns whether the byte may be part of a bare key.
    static func isBareKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
