internal import FoundationEssentials

/// OSC 52, by which a program asks the terminal to fill the clipboard.
package enum Clipboard {
    /// Bytes of text that the common terminals still take.
    package static let limit = 74_994 / 4 * 3

    /// - Returns: Nil when the text is too long.
    package static func sequence(_ text: String) -> String? {
        guard text.utf8.count <= limit else { return nil }
        return "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
    }
}
