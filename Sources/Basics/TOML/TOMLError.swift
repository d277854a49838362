/// The reason why a text is not TOML 1.0, and its position.
///
/// It contains text of the file unchanged: the caller must escape it before showing it in a
/// terminal.
package struct TOMLError: Error, Sendable, Equatable {
    package enum Problem: Sendable, Equatable {
        /// The text has more bytes than this.
        case tooLarge(limit: Int)
        /// The text ends before a statement does.
        case endOfFile
        /// The line ends before a statement does.
        case endOfLine
        /// This character is not allowed here.
        case unexpected(Character)
        case controlCharacter
        case unknownEscape
        /// A multi-line string has no closing quotes.
        case unterminatedString
        /// More than `TOMLReader.depthLimit` dotted keys or nested values.
        case nestedTooDeeply
        /// Unquoted text that is not a number, a date or a Boolean.
        case unknownValue(String)
        /// The key, or the dotted keys, that already have a value.
        case duplicateKey(String)
        /// The key of a value where a table is required.
        case notATable(String)
    }

    package let file: String
    /// The line, counted from 1, or `nil` if the error concerns the file as a whole.
    package let line: Int?
    package let problem: Problem
    /// The value that is allowed there, such as `expected a key`.
    package let expected: String?
}
