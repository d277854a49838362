import Basics

/// A color of a theme.
package enum Color: Sendable, Hashable {
    /// Of the terminal's palette: 0…7 the named colors, 8…15 their bright forms, 16…255 the cube
    /// and the grays.
    case palette(UInt8)
    case rgb(red: UInt8, green: UInt8, blue: UInt8)

    /// The names of the first sixteen colors of the palette, in their order.
    static let names =
        ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
        + [
            "gray", "bright_red", "bright_green", "bright_yellow", "bright_blue",
            "bright_magenta", "bright_cyan", "bright_white",
        ]

    /// A name, or `#` and six hexadecimal digits; `nil` if the text is neither.
    init?(named text: String) {
        if let number = Self.names.firstIndex(of: text) {
            self = .palette(UInt8(number))
            return
        }
        let digits = text.utf8.dropFirst().map { $0 }
        let isHexadecimal = digits.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"):
                true
            default: false
            }
        }
        guard text.begins(with: "#"), digits.count == 6, isHexadecimal,
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        self = .rgb(
            red: UInt8(value >> 16),
            green: UInt8(value >> 8 & 0xFF),
            blue: UInt8(value & 0xFF)
        )
    }

    /// Red, green and blue, of a color of the palette as xterm defines it.
    package var parts: [UInt8] {
        switch self {
        case .rgb(let red, let green, let blue): [red, green, blue]
        case .palette(let number): Self.parts(of: number)
        }
    }

    /// The nearest color of the palette but for its first sixteen, which users change.
    package var inPalette: UInt8 {
        guard case .rgb = self else {
            if case .palette(let number) = self { return number }
            return 0
        }
        let parts = parts.map(Int.init)
        func distance(_ number: UInt8) -> Int {
            zip(Self.parts(of: number), parts).reduce(0) { sum, pair in
                let difference = Int(pair.0) - pair.1
                return sum + difference * difference
            }
        }
        return (16...255).min { distance($0) < distance($1) } ?? 16
    }

    private static func parts(of number: UInt8) -> [UInt8] {
        switch number {
        case ..<16: return named[Int(number)]
        case ..<232:
            let cube = Int(number) - 16
            let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
            return [cube / 36, cube / 6 % 6, cube % 6].map { levels[$0] }
        default: return Array(repeating: 8 + 10 * (number - 232), count: 3)
        }
    }

    private static let named: [[UInt8]] = [
        [0x00, 0x00, 0x00], [0xCD, 0x31, 0x31], [0x0D, 0xBC, 0x79], [0xE5, 0xE5, 0x10],
        [0x24, 0x72, 0xC8], [0xBC, 0x3F, 0xBC], [0x11, 0xA8, 0xCD], [0xE5, 0xE5, 0xE5],
        [0x66, 0x66, 0x66], [0xF1, 0x4C, 0x4C], [0x23, 0xD1, 0x8B], [0xF5, 0xF5, 0x43],
        [0x3B, 0x8E, 0xEA], [0xD6, 0x70, 0xD6], [0x29, 0xB8, 0xDB], [0xFF, 0xFF, 0xFF],
    ]
}
