import UI

/// The number of colors of a terminal, and the mapping of the others to these.
///
/// The mapping preserves the hue rather than the brightness: green must not become gray.
enum ColorDepth: Sendable, Equatable {
    /// Attributes only.
    case none
    case eight
    case sixteen
    case palette
    /// A color is a number of red, green and blue, but for the first eight of the palette.
    case direct

    init(colors: Int) {
        switch colors {
        case ..<8: self = .none
        case ..<16: self = .eight
        case ..<256: self = .sixteen
        case ..<Self.allColors: self = .palette
        default: self = .direct
        }
    }

    /// The number of colors of eight bits each for red, green and blue.
    private static let allColors = 1 << 24

    func rendition(of appearance: Appearance) -> Rendition {
        var rendition = Rendition(
            colors: ColorPair(
                foreground: appearance.foreground.flatMap(number),
                background: appearance.background.flatMap(number)
            ),
            attributes: Rendition.Attributes(of: appearance)
        )
        if self == .eight { rendition.reduceToEight() }
        return rendition
    }

    /// The number of a color on the terminal, of those of eight as of sixteen.
    private func number(of color: Color) -> Int32? {
        switch (self, color) {
        case (.none, _): return nil
        case (.eight, _), (.sixteen, _): return Int32(NamedColors.nearest(color.inPalette))
        case (.palette, _): return Int32(color.inPalette)
        case (.direct, .palette(let number)) where number < 8: return Int32(number)
        case (.direct, _):
            let value = color.parts.reduce(Int32(0)) { $0 << 8 | Int32($1) }
            return max(8, value)
        }
    }
}

extension Rendition {
    /// Maps bright foreground colors to bold, and bright backgrounds to the plain color.
    fileprivate mutating func reduceToEight() {
        colors.background = colors.background.map { $0 % 8 }
        guard let named = colors.foreground else { return }
        switch named {
        case ..<8:
            colors.foreground = named
        case 8:
            // Bold black is invisible on black unless bold is also bright.
            colors.foreground = nil
            attributes.insert(.dim)
        default:
            colors.foreground = named - 8
            attributes.insert(.bold)
        }
    }
}

extension Rendition.Attributes {
    fileprivate init(of appearance: Appearance) {
        self = []
        if appearance.isBold { insert(.bold) }
        if appearance.isDim { insert(.dim) }
        if appearance.isReversed { insert(.reversed) }
        if appearance.isUnderlined { insert(.underlined) }
    }
}

/// The sixteen named colors as approximations of the other 240 of the palette.
enum NamedColors {
    /// Returns the number in `0...15` of the color that is closest to a color of the palette.
    ///
    /// The hue has the most weight: a pale green is numerically closer to gray than to green, but
    /// is meant as green.
    static func nearest(_ color: UInt8) -> UInt8 {
        switch color {
        case ..<16: color
        case ..<232: nearest(cube: Int(color) - 16)
        default: nearest(gray: Int(color) - 232)
        }
    }

    /// Maps the color cube, which has six levels each of red, green and blue; a named color has
    /// each component or lacks it.
    private static func nearest(cube place: Int) -> UInt8 {
        let levels = [0, 95, 135, 175, 215, 255]
        let parts = [place / 36, place / 6 % 6, place % 6].map { levels[$0] }
        let (least, most) = (parts.min() ?? 0, parts.max() ?? 0)
        if most == least { return nearest(gray: max(0, most - 8) / 10) }
        let hue = zip(parts, [1, 2, 4] as [UInt8])
            .filter { $0.0 * 2 > most + least }
            .reduce(0) { $0 | $1.1 }
        return most >= 215 ? hue + 8 : hue
    }

    /// Maps the ramp of 24 grays between black and white to the four gray tones that have names.
    private static func nearest(gray step: Int) -> UInt8 {
        switch step {
        case ..<5: 0
        case ..<16: 8
        case ..<22: 7
        default: 15
        }
    }
}
