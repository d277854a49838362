/// The appearance of the styles.
package struct Theme: Sendable, Equatable {
    /// The ground for which it is made; the terminal's own stays.
    package enum Ground: String, Sendable, Hashable, CaseIterable {
        case dark
        case light
    }

    package let name: String
    package let ground: Ground
    let appearances: [Style: Appearance]

    init(name: String, ground: Ground, _ appearances: [Style: Appearance]) {
        self.name = name
        self.ground = ground
        self.appearances = appearances
    }

    package func appearance(of style: Style) -> Appearance {
        appearances[style] ?? Appearance()
    }

    /// The theme itself if it is made for a ground, otherwise the first one that is.
    package func adapted(to ground: Ground, among themes: [Theme]) -> Theme {
        self.ground == ground ? self : themes.first { $0.ground == ground } ?? self
    }

    /// The themes that are part of the program, in the order in which a key shows them.
    package static let builtIn = [dark, light, plain]

    /// For light text on a dark ground.
    package static let dark = parsing(PackageResources.dark_toml, named: "dark")

    /// For dark text on a light ground.
    package static let light = parsing(PackageResources.light_toml, named: "light")

    /// No color at all: what a style means is in the words and symbols; this helps the eye.
    package static let plain = Theme(
        name: "plain",
        ground: .dark,
        [
            .dim: Appearance(isDim: true),
            .border: Appearance(isDim: true),
            .focus: Appearance(isBold: true),
            .strong: Appearance(isBold: true),
            .title: Appearance(isBold: true),
            .warning: Appearance(isBold: true),
            .bad: Appearance(isBold: true, isUnderlined: true),
            .key: Appearance(isBold: true),
            .selected: Appearance(isReversed: true),
            .header: Appearance(isBold: true),
            .headerGood: Appearance(isBold: true),
            .headerBusy: Appearance(isBold: true),
            .headerWarning: Appearance(isReversed: true),
            .headerBad: Appearance(isBold: true, isReversed: true),
        ]
    )

    /// One that cannot be parsed is plain, which a test detects.
    private static func parsing(_ text: [UInt8], named name: String) -> Theme {
        let text = String(decoding: text, as: UTF8.self)
        return (try? Theme(toml: text, file: "\(name).toml", name: name)) ?? plain
    }
}
