import TOML

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

extension DialectError {
    /// A text that is not TOML.
    init(_ error: TOMLError) {
        let found =
            switch error.problem {
            case .tooLarge: "the file is larger than \(TOMLReader.sizeLimit / 1024) KiB"
            case .endOfFile: "not TOML: the file ends"
            case .endOfLine: "not TOML: the line ends"
            case .unexpected(let character):
                "not TOML: found \(String(character).quotedForError)"
            case .controlCharacter: "not TOML: a control character"
            case .unknownEscape: "not TOML: an unknown escape"
            case .unterminatedString: "not TOML: the text has no end"
            case .nestedTooDeeply: "not TOML: nested too deeply"
            case .unknownValue(let text): "not TOML: \(text.quotedForError) is no value"
            case .duplicateKey(let key): "not TOML: \(key.quotedForError) is there already"
            case .notATable(let key): "not TOML: \(key.quotedForError) is no table"
            }
        self.init(file: error.file, line: error.line, found: found, expected: error.expected)
    }
}

extension TOMLItem {
    /// Reads the text of a dialect or a profile.
    ///
    /// - Parameters:
    ///   - text: The whole of a file.
    ///   - file: What errors name.
    /// - Returns: The table at the top of the file.
    /// - Throws: What is wrong, in a sentence.
    static func reading(_ text: String, file: String) throws(DialectError) -> TOMLItem {
        do throws(TOMLError) {
            return try TOMLReader.read(text, file: file)
        } catch {
            throw DialectError(error)
        }
    }

    /// The value as an error shows it.
    var kind: String {
        switch value {
        case .string(let text): text.quotedForError
        case .integer(let number): "the number \(number)"
        case .number(let number): "the number \(number)"
        case .bool(let flag): "\(flag)"
        case .date: "a date"
        case .list: "a list"
        case .table: "a table"
        }
    }
}

extension String {
    /// Between quotes, and not too long to be read.
    var quotedForError: String {
        "\"\(inOneLine(limit: 60))\""
    }
}
