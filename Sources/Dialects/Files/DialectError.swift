/// What is wrong with a dialect's file, and where.
package struct DialectError: Error, Sendable, Equatable, CustomStringConvertible {
    package let file: String
    /// Counted from 1; nil when the file as a whole is meant.
    package let line: Int?
    /// The dotted path of the key; nil when the text is no TOML.
    package let key: String?
    /// What stands there, such as `unknown place "bearers"`.
    package let found: String
    /// What may stand there, such as `expected one of bearer, json:KEY`.
    package let expected: String?

    /// In one line, ready to be printed.
    package var description: String {
        var place = file
        if let line { place += ":\(line)" }
        let subject = [place, key, found].compactMap(\.self).joined(separator: ": ")
        return [subject, expected].compactMap(\.self).joined(separator: ", ")
    }
}

extension String {
    /// Between quotes, in one line, and not too long to be read.
    var quotedForError: String {
        let text = String(
            unicodeScalars.prefix(60).map { scalar in
                scalar.value < 0x20 || scalar.value == 0x7F ? Character(" ") : Character(scalar)
            }
        )
        return "\"\(text)\(unicodeScalars.count > 60 ? "…" : "")\""
    }
}
