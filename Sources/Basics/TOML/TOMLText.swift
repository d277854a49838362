/// Keys and strings as they are written in TOML.
enum TOMLText {
    /// Returns a key, in quotes if it has to be.
    static func key(_ key: String) -> String {
        let isBare = !key.isEmpty && key.utf8.allSatisfy(TOMLItem.isBareKeyByte)
        return isBare ? key : quoted(key)
    }

    /// Returns a basic string, which has one line whatever the text is.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where scalar.isUnseen:
                let digits = scalar.value.hexadecimal.asciiUppercased
                result += scalar.value > 0xFFFF ? "\\U\(digits)" : "\\u\(digits.suffix(4))"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
