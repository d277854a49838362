import Basics

/// The width that a terminal gives a scalar.
enum DisplayWidth: Sendable, Hashable {
    case one
    case two
    /// Drawn over the glyph before it.
    case joins
    /// Changes only how an emoji looks: selectors of variation, tones of skin, joiners.
    case decoration
    /// Must not reach a terminal: controls, and what has no shape or no certain width.
    case harmful

    init(of scalar: Unicode.Scalar) {
        switch scalar.value {
        // ASCII, Latin letters, punctuation, arrows, lines, blocks and shapes: most of what is drawn.
        case 0x20...0x7E, 0xB0...0x2FF, 0x2010...0x2027, 0x2030...0x205E, 0x2190...0x21FF,
            0x2500...0x25FC:
            self = .one
        case 0xFE00...0xFE0F, 0x1F3FB...0x1F3FF, 0x200D: self = .decoration
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: self = .joins
        default: self.init(ofUncommon: scalar)
        }
    }

    init(ofUncommon scalar: Unicode.Scalar) {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: self = .joins
        case _ where scalar.isUnseen: self = .harmful
        default: self = WideRanges.contains(scalar) ? .two : .one
        }
    }

    /// The columns that a text takes once it is made harmless.
    static func columns(of text: String) -> Int {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
        // As `Glyphs` has it, without making them: every line is measured.
        var total = 0
        var hasBase = false
        for scalar in text.unicodeScalars {
            switch DisplayWidth(of: scalar) {
            case .one: total += 1
            case .two: total += 2
            case .joins: total += hasBase ? 0 : 1
            case .decoration where hasBase: break
            case .decoration, .harmful: total += (0x80..<0xA0).contains(scalar.value) ? 2 : 1
            }
            hasBase = true
        }
        return total
    }
}
