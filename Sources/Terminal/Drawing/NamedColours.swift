/// The sixteen colours with names, as stand-ins for the 240 others of the palette.
package enum NamedColours {
    /// The number in `0...15` that comes nearest to a number of the palette.
    ///
    /// The hue counts most: a pale green is measured nearer to grey than to green, and yet means
    /// green.
    package static func nearest(_ colour: UInt8) -> UInt8 {
        switch colour {
        case ..<16: colour
        case ..<232: nearest(cube: Int(colour) - 16)
        default: nearest(grey: Int(colour) - 232)
        }
    }

    /// Six levels each of red, green and blue; a named colour has each of them or has not.
    private static func nearest(cube place: Int) -> UInt8 {
        let levels = [0, 95, 135, 175, 215, 255]
        let parts = [place / 36, place / 6 % 6, place % 6].map { levels[$0] }
        let (least, most) = (parts.min() ?? 0, parts.max() ?? 0)
        if most == least { return nearest(grey: max(0, most - 8) / 10) }
        let hue = zip(parts, [1, 2, 4] as [UInt8])
            .filter { $0.0 * 2 > most + least }
            .reduce(0) { $0 | $1.1 }
        return most >= 215 ? hue + 8 : hue
    }

    /// A ramp of 24 greys between black and white, of which four have names.
    private static func nearest(grey step: Int) -> UInt8 {
        switch step {
        case ..<5: 0
        case ..<16: 8
        case ..<22: 7
        default: 15
        }
    }
}
