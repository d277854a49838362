/// Reads a TOML 1.0 file into values that know their lines.
///
/// It does not wrap a library because files are untrusted: whatever the bytes are, reading ends in
/// an error and never in a trap, and a mistake that is found later can still be reported with the
/// line of its key.
package struct TOMLReader {
    /// The usual size of the largest file that is read, in bytes.
    package static let sizeLimit = 256 * 1024
    /// The largest number of keys in a path, and of nested levels of values.
    static let depthLimit = 16

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - text: The contents of a whole file.
    ///   - file: The name of the file in errors.
    ///   - limit: The largest size, in bytes.
    /// - Returns: The table at the top of the file.
    /// - Throws: `TOMLError`, with the line of the first mistake.
    package static func read(
        _ text: String,
        file: String,
        limit: Int = sizeLimit
    ) throws(TOMLError) -> TOMLItem {
        guard text.utf8.count <= limit else {
            let problem = TOMLError.Problem.tooLarge(limit: limit)
            throw TOMLError(file: file, line: nil, problem: problem, expected: nil)
        }
        var reader = TOMLReader(cursor: TOMLCursor(text, file: file))
        return try reader.document()
    }

    private var cursor: TOMLCursor
    private let root = TOMLTableNode(line: 1, origin: .header)

    private init(cursor: TOMLCursor) {
        self.cursor = cursor
    }

    private mutating func document() throws(TOMLError) -> TOMLItem {
        var table = root
        while try cursor.skipToStatement() {
            if cursor.current == UInt8(ascii: "[") {
                table = try header()
            } else {
                try cursor.member(of: table)
            }
            try cursor.endOfLine()
        }
        return root.item(of: cursor.file)
    }

    /// Parses `[a.b]` or `[[a.b]]` and returns the table that the next lines belong to.
    private mutating func header() throws(TOMLError) -> TOMLTableNode {
        let line = cursor.line
        cursor.take("[")
        let isArray = cursor.take("[")
        let keys = try cursor.keyPath()
        guard cursor.take(isArray ? "]]" : "]") else {
            throw cursor.unexpected("expected \(isArray ? "]]" : "]") after the table's name")
        }
        var table = root
        for key in keys.dropLast() {
            guard let inner = table.opened(key, line: line, as: .implied) else {
                throw cursor.error(at: line, .notATable(key))
            }
            table = inner
        }
        guard let last = keys.last,
            let opened = isArray
                ? table.appended(last, line: line) : table.defined(last, line: line)
        else {
            throw cursor.error(at: line, .duplicateKey(keys.joined(separator: ".")))
        }
        return opened
    }
}
