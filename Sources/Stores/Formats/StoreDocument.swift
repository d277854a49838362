package import Basics

/// Reads the contents of a file by its format, as JSON has them.
package enum StoreDocument {
    /// The largest file that is read, in bytes.
    package static let sizeLimit = 8 << 20

    /// Returns the contents, or `nil` unless the bytes have the format.
    package static func read(_ bytes: [UInt8], as format: StoreFiles.Format) -> JSONValue? {
        switch format {
        case .json: return JSONValue(parsing: bytes)
        case .sqlite: return SQLiteReader.read(bytes)
        case .yaml: return YAMLReader.read(bytes)
        case .toml: return toml(text(bytes))
        case .ini: return LineFormats.ini(text(bytes))
        case .netrc: return LineFormats.netrc(text(bytes))
        case .urls: return LineFormats.urls(text(bytes))
        case .plain: return .string(String(text(bytes).trimming { $0 <= 0x20 }))
        }
    }

    /// Without a byte order mark, which some editors write.
    private static func text(_ bytes: [UInt8]) -> String {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return String(
            decoding: bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...],
            as: UTF8.self
        )
    }

    private static func toml(_ text: String) -> JSONValue? {
        (try? TOMLReader.read(text, file: "")).map(value)
    }

    private static func value(_ item: TOMLItem) -> JSONValue {
        switch item.value {
        case .string(let text): .string(text)
        case .integer(let number): .integer(Int64(number))
        case .number(let number): .number(number)
        case .bool(let flag): .bool(flag)
        case .date: .null
        case .list(let items): .array(items.map(value))
        case .table(let members): .object(members.mapValues(value))
        }
    }
}
