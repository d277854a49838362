import Foundation

/// The ways in which a server may repeat a secret, written down by other means than those by which
/// the program finds them.
enum EchoForms {
    static func all(of secret: String) -> [String] {
        [secret] + percent(secret) + json(secret) + base64(secret) + hexadecimal(secret)
            + html(secret)
    }

    /// The parts of them that may stand nowhere: of base64, the part that does not depend on its
    /// neighbors.
    static func needles(of secret: String) -> [String] {
        let cores = ["", "x", "xy"].flatMap { before -> [String] in
            let text = Data((before + secret).utf8).base64EncodedString()
            let end = (before.utf8.count + secret.utf8.count) * 8 / 6
            let core = String(text.prefix(end).dropFirst((before.utf8.count * 8 + 5) / 6))
            return [core, core.replacing("+", with: "-").replacing("/", with: "_")]
        }
        return [secret] + percent(secret) + json(secret) + hexadecimal(secret) + html(secret)
            + cores
    }

    private static func percent(_ secret: String) -> [String] {
        let whole = secret.utf8.map { "%" + hex($0).uppercased() }.joined()
        let usual = secret.utf8.map { byte in
            isLetter(byte) ? String(UnicodeScalar(byte)) : "%" + hex(byte).uppercased()
        }.joined()
        let half = secret.utf8.enumerated().map { index, byte in
            index % 2 == 0 && byte < 0x80 && byte > 0x20 && byte != UInt8(ascii: "%")
                ? String(UnicodeScalar(byte)) : "%" + hex(byte)
        }.joined()
        let small = whole.lowercased()
        let form = usual.replacing("%20", with: "+")
        return [whole, usual, half, small, form]
    }

    private static func json(_ secret: String) -> [String] {
        let units = secret.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        let short = secret.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return [units.joined(), short, short.replacing("/", with: "\\/")]
    }

    private static func base64(_ secret: String) -> [String] {
        let texts = ["", "x", "xy", "client:"].map {
            Data(($0 + secret).utf8).base64EncodedString()
        }
        let safe = texts.map { text in
            text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        return texts + safe + ["Basic " + texts[3]]
    }

    private static func hexadecimal(_ secret: String) -> [String] {
        let digits = secret.utf8.map(hex).joined()
        return [digits, digits.uppercased()]
    }

    private static func html(_ secret: String) -> [String] {
        let named = secret.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
            .replacing("<", with: "&lt;").replacing("ü", with: "&uuml;")
        let decimal = secret.unicodeScalars.map { "&#\($0.value);" }.joined()
        let hexadecimal = secret.unicodeScalars.map { "&#x\(String($0.value, radix: 16));" }
        return [named, decimal, hexadecimal.joined()]
    }

    private static func hex(_ byte: UInt8) -> String {
        String(UInt16(byte) + 0x100, radix: 16).suffix(2).description
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        Character(UnicodeScalar(byte)).isLetter && byte < 0x80
    }
}
