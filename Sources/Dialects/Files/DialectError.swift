/// What is wrong with a dialect's file, and where.
package struct DialectError: Error, Sendable, Equatable, CustomStringConvertible {
    package let file: String
    /// Counted from 1, or `nil` if the file as a whole is meant.
    package let line: Int?
    /// The dotted path of the key, or `nil` if the text is no TOML.
    package let key: String?
    /// What stands there, such as `unknown place "bearers"`.
    package let found: String
    /// What may stand there, such as `expected one of bearer, json:KEY`.
    package let expected: String?

    package init(
        file: String,
        line: Int? = nil,
        key: String? = nil,
        found: String,
        expected: String? = nil
    ) {
        self.file = file
        self.line = line
        self.key = key
        self.found = found
        self.expected = expected
    }

    /// In one line, ready to be printed.
    package var description: String {
        var place = file
        if let line { place += ":\(line)" }
        let subject = [place, key?.inOneLine(limit: 100), found].compactMap(\.self)
        return [subject.joined(separator: ": "), expected].compactMap(\.self)
            .joined(separator: ", ")
    }
}

extension String {
    /// Between quotes, and not too long to be read.
    var quotedForError: String {
        "\"\(inOneLine(limit: 60))\""
    }
}
