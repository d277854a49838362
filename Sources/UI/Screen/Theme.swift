/// The appearance of the styles.
package struct Theme: Sendable, Equatable {
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case dark
        case light
        /// No color: bold, dim, underlined and reversed only.
        case plain
    }

    package let name: Name
    private let appearances: [Style: Appearance]

    init(name: Name, _ appearances: [Style: Appearance]) {
        self.name = name
        self.appearances = appearances
    }

    package func appearance(of style: Style) -> Appearance {
        appearances[style] ?? Appearance()
    }

    package static func named(_ name: Name) -> Theme {
        switch name {
        case .dark: .dark
        case .light: .light
        case .plain: .plain
        }
    }

    /// The theme for a terminal with this many colors, as `tigetnum("colors")` says; below 8 there
    /// are none.
    func limited(toColors colors: Int) -> Theme {
        if colors >= 256 || name == .plain { return self }
        if colors < 8 { return .plain }
        return Theme(name: name, appearances.mapValues { $0.inEightColors })
    }
}

extension Appearance {
    /// The nearest of the colors 0 to 7; greys become dim or the default.
    fileprivate var inEightColors: Appearance {
        var appearance = self
        appearance.foreground = foreground.flatMap(Self.basic)
        appearance.background = background.flatMap(Self.basic)
        if let foreground, foreground >= 232, appearance.foreground == nil {
            appearance.isDim = true
        }
        return appearance
    }

    private static func basic(_ color: UInt8) -> UInt8? {
        switch color {
        case 0...7: return color
        case 8...15: return color - 8
        case 16...231:
            let cube = Int(color) - 16
            let parts = [cube / 36, cube / 6 % 6, cube % 6]
            let peak = parts.max() ?? 0
            guard peak > 0 else { return 0 }
            return (parts[0] * 2 > peak ? 1 : 0) + (parts[1] * 2 > peak ? 2 : 0)
                + (parts[2] * 2 > peak ? 4 : 0)
        default: return nil
        }
    }
}
