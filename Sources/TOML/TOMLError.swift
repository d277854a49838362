/// Why a text is not TOML 1.0, and where.
///
/// It holds what stands in the file as it is: whoever shows it makes it fit for a terminal.
package struct TOMLError: Error, Sendable, Equatable {
    package enum Problem: Sendable, Equatable {
        /// The text has more than `TOMLReader.sizeLimit` bytes.
        case tooLarge
        /// The text ends before a statement does.
        case endOfFile
        /// The line ends before a statement does.
        case endOfLine
        /// This character cannot stand here.
        case unexpected(Character)
        case controlCharacter
        case unknownEscape
        /// A string of several lines has no closing quotes.
        case unterminatedString
        /// More than `TOMLReader.depthLimit` keys or levels.
        case nestedTooDeeply
        /// Text without quotes that is no number, date or Boolean.
        case unknownValue(String)
        /// The key, or dotted keys, that have a value already.
        case duplicateKey(String)
        /// The key of a value where a table would have to be.
        case notATable(String)
    }

    package let file: String
    /// Counted from 1, or `nil` if the file as a whole is meant.
    package let line: Int?
    package let problem: Problem
    /// What may stand there, such as `expected a key`.
    package let expected: String?
}
