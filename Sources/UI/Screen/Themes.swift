extension Theme {
    /// For light text on a dark ground, which stays the terminal's own.
    static let dark = Theme(
        name: .dark,
        palette(
            Palette(
                dim: 245,
                border: 239,
                focus: 75,
                good: 78,
                busy: 80,
                warning: 221,
                bad: 203,
                identity: 141
            )
        )
    )

    /// For dark text on a light ground, which stays the terminal's own.
    static let light = Theme(
        name: .light,
        palette(
            Palette(
                dim: 242,
                border: 250,
                focus: 25,
                good: 28,
                busy: 30,
                warning: 130,
                bad: 124,
                identity: 91
            )
        )
    )

    /// No color at all: what a style means is in the words and symbols; this helps the eye.
    package static let plain = Theme(
        name: .plain,
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

    private struct Palette {
        var dim: UInt8
        var border: UInt8
        var focus: UInt8
        var good: UInt8
        var busy: UInt8
        var warning: UInt8
        var bad: UInt8
        var identity: UInt8
    }

    private static func palette(_ palette: Palette) -> [Style: Appearance] {
        [
            .dim: Appearance(foreground: palette.dim),
            .strong: Appearance(isBold: true),
            .border: Appearance(foreground: palette.border),
            .focus: Appearance(foreground: palette.focus, isBold: true),
            .title: Appearance(isBold: true),
            .good: Appearance(foreground: palette.good),
            .busy: Appearance(foreground: palette.busy),
            .warning: Appearance(foreground: palette.warning),
            .bad: Appearance(foreground: palette.bad, isBold: true),
            .identity: Appearance(foreground: palette.identity),
            .key: Appearance(foreground: palette.focus, isBold: true),
            .selected: Appearance(isReversed: true),
            .header: Appearance(isBold: true),
            .headerGood: Appearance(foreground: palette.good, isBold: true),
            .headerBusy: Appearance(foreground: palette.busy, isBold: true),
            .headerWarning: Appearance(foreground: palette.warning, isBold: true),
            .headerBad: Appearance(foreground: palette.bad, isBold: true, isReversed: true),
        ]
    }
}
