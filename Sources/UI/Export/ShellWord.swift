import Basics

/// Text as one word of a shell.
package enum ShellWord {
    /// A part of a text that stays a variable: how the text has it, and the variable's name.
    typealias Variable = (mark: [Unicode.Scalar], name: String)

    /// Returns a text in quotes, in which only the variables are expanded.
    ///
    /// A shell reads bytes: a quotation mark ends a text in quotes whatever combining mark follows it.
    /// A backslash is outside the quotes too, since fish reads it as an escape within them.
    static func quoted(_ text: String, expanding variables: [Variable] = []) -> String {
        var rest = Array(text.visibleInOneLine.unicodeScalars)[...]
        var word = ""
        var literal = String.UnicodeScalarView()
        func endLiteral() {
            guard !literal.isEmpty else { return }
            word += "'\(String(literal))'"
            literal = String.UnicodeScalarView()
        }
        while let scalar = rest.first {
            if let (mark, name) = variables.first(where: { rest.starts(with: $0.mark) }) {
                endLiteral()
                word += "\"$\(name)\""
                rest = rest.dropFirst(mark.count)
                continue
            }
            if scalar == "'" || scalar == "\\" {
                endLiteral()
                word += "\\"
                word.unicodeScalars.append(scalar)
            } else {
                literal.append(scalar)
            }
            rest = rest.dropFirst()
        }
        endLiteral()
        return word.isEmpty ? "''" : word
    }

    /// Returns a command line of these words, with quotes where one needs them.
    package static func line(_ words: [String]) -> String {
        words.map { isPlain($0) ? $0 : quoted($0) }.joined(separator: " ")
    }

    /// Whether no shell changes a word.
    private static func isPlain(_ word: String) -> Bool {
        !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_./:,=@%+".utf8.contains(byte)
                }
            }
    }
}
