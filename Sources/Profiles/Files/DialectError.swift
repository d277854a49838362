package import Basics

/// An error in a dialect's file, with its position.
package struct DialectError: Error, Sendable, Equatable, CustomStringConvertible {
    let file: String
    /// The line, counted from 1, or `nil` if the error concerns the file as a whole.
    let line: Int?
    /// The dotted path of the key, or `nil` if the text is not TOML.
    let key: String?
    /// The found text, such as `unknown place "bearers"`.
    let found: String
    /// The allowed text, such as `expected one of bearer, json:KEY`.
    let expected: String?

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

    /// The message on one line, ready to be printed.
    package var description: String {
        var place = file
        if let line { place += ":\(line)" }
        let subject = [place, key?.inOneLine(limit: 100), found].compactMap(\.self)
        return [subject.joined(separator: ": "), expected].compactMap(\.self)
            .joined(separator: ", ")
    }
}

extension DialectError {
    /// Creates the error for a text that is not TOML.
    package init(_ error: TOMLError) {
        let found =
            switch error.problem {
            case .tooLarge(let limit): "the file is larger than \(limit / 1024) KiB"
            case .endOfFile: "not TOML: the file ends"
            case .endOfLine: "not TOML: the line ends"
            case .unexpected(let character):
                "not TOML: found \(String(character).quotedForError)"
            case .controlCharacter: "not TOML: a control character"
            case .unknownEscape: "not TOML: an unknown escape"
            case .unterminatedString: "not TOML: the string is not terminated"
            case .nestedTooDeeply: "not TOML: nested too deeply"
            case .unknownValue(let text): "not TOML: \(text.quotedForError) is not a value"
            case .duplicateKey(let key): "not TOML: \(key.quotedForError) is already defined"
            case .notATable(let key): "not TOML: \(key.quotedForError) is not a table"
            }
        self.init(file: error.file, line: error.line, found: found, expected: error.expected)
    }
}

extension TOMLItem {
    /// Parses the text of a dialect or a profile.
    ///
    /// - Parameters:
    ///   - text: The contents of a whole file.
    ///   - file: The name of the file in errors.
    /// - Returns: The table at the top of the file.
    /// - Throws: `DialectError` if the text is not TOML.
    package static func reading(_ text: String, file: String) throws(DialectError) -> TOMLItem {
        do throws(TOMLError) {
            return try TOMLReader.read(text, file: file)
        } catch {
            throw DialectError(error)
        }
    }

    /// The type of the value, as errors show it.
    package var kind: String {
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
    /// The text in quotes, shortened.
    var quotedForError: String {
        "\"\(inOneLine(limit: 60))\""
    }
}
