import Basics

/// The terminal's answer to the question for the color of its ground (OSC 11 of xterm).
///
/// It arrives among the keys, whole or in parts, or never.
struct GroundReport: Sendable {
    /// The question.
    static let question = "\u{1B}]11;?\u{1B}\\"

    /// The second byte, after an escape.
    static let start: Int32 = 0x5D
    private static let bell: Int32 = 7
    private static let escape: Int32 = 27
    /// The byte after the escape that ends it.
    static let backslash: Int32 = 0x5C
    /// The longest answer: `11;rgba:ffff/ffff/ffff/ffff`.
    private static let limit = 32
    private static let bytes = Set("0123456789abcdefABCDEFrg:;/".utf8.map(Int32.init))

    enum Progress: Equatable {
        case going
        /// Whether the ground is light, or `nil` if that is not what it says.
        case over(isLight: Bool?)
        /// What came is no answer.
        case none
    }

    private var text: [UInt8] = []

    /// Takes a code in that follows the start.
    mutating func append(_ code: Int32) -> Progress {
        if code == Self.bell || code == Self.escape { return .over(isLight: isLight) }
        guard Self.bytes.contains(code), text.count < Self.limit, let byte = UInt8(exactly: code)
        else { return .none }
        text.append(byte)
        return .going
    }

    /// Whether a color is nearer to white than to black, by the brightness of its parts (ITU-R
    /// BT.601).
    private var isLight: Bool? {
        let answer = String(decoding: text, as: UTF8.self)
        guard let color = answer.part(after: "11;rgb:") ?? answer.part(after: "11;rgba:") else {
            return nil
        }
        // Each has one to four digits, of which as many f are the full scale.
        let parts = color.parts(at: "/").prefix(3).compactMap { part -> Double? in
            let digits = part.utf8.count
            guard (1...4).contains(digits), let value = UInt32(part, radix: 16) else { return nil }
            return Double(value) / Double((1 << (4 * digits)) - 1)
        }
        guard parts.count == 3 else { return nil }
        return 0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2] > 0.5
    }
}
