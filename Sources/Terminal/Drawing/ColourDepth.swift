package import Dashboard

/// How many colours a terminal has, and what becomes of the others.
///
/// A hue survives before a brightness does: green must not turn grey.
package enum ColourDepth: Sendable, Equatable {
    /// Attributes only.
    case none
    case eight
    case sixteen
    case palette

    package init(colours: Int) {
        switch colours {
        case ..<8: self = .none
        case ..<16: self = .eight
        case ..<256: self = .sixteen
        default: self = .palette
        }
    }

    package func rendition(of appearance: Appearance) -> Rendition {
        var rendition = Rendition(
            colours: ColourPair(
                foreground: appearance.foreground,
                background: appearance.background
            ),
            attributes: Rendition.Attributes(of: appearance)
        )
        switch self {
        case .none:
            rendition.colours = ColourPair()
        case .eight:
            rendition.reduceToEight()
        case .sixteen:
            rendition.colours.foreground = rendition.colours.foreground.map(NamedColours.nearest)
            rendition.colours.background = rendition.colours.background.map(NamedColours.nearest)
        case .palette:
            break
        }
        return rendition
    }
}

extension Rendition {
    /// Bright letters are bold ones; a bright background is the plain one.
    fileprivate mutating func reduceToEight() {
        colours.background = colours.background.map { NamedColours.nearest($0) % 8 }
        guard let named = colours.foreground.map(NamedColours.nearest) else { return }
        switch named {
        case ..<8:
            colours.foreground = named
        case 8:
            // Bold black is invisible on black wherever bold is not also bright.
            colours.foreground = nil
            attributes.insert(.dim)
        default:
            colours.foreground = named - 8
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
