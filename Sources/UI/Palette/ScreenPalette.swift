// The palette of a screen beside the dashboard: its commands by their names.

extension KeyedScreen {
    /// The list, or `nil` if it is not shown.
    var paletteList: PaletteList<ScreenCommand<Self>>? {
        get {
            guard let palette else { return nil }
            let commands = Self.commands.filter {
                $0.isInPalette && $0.modes.contains(palette.mode)
            }
            let rows = commands.map { command in
                let key = keys.keys(of: command).first { key in
                    let other = keys.command(for: key, in: palette.mode, among: Self.commands)
                    return other?.help == command.help
                }
                return PaletteRow(
                    command,
                    help: command.help,
                    key: key.map(KeyText.name) ?? "",
                    obstacle: command.obstacle(self),
                    action: command
                )
            }
            return PaletteList(palette: palette, all: rows)
        }
        set { palette = newValue?.palette }
    }

    /// Closes the palette, and does what its selected row says; without one it stays.
    fileprivate mutating func runFromPalette() -> ScreenOutcome<Choice>? {
        guard let selected = paletteList?.selected else { return nil }
        palette = nil
        return selected.action.effect(&self)
    }

    /// Draws the palette over the rows of a screen, if it is open.
    package func drawPalette(in body: Area, on grid: inout Grid) {
        guard let list = paletteList else { return }
        grid.restyle(body, .dim)
        let document = PaletteText(title: "Actions", list: list).document
        OverlayView(document: document).draw(in: body, on: &grid)
    }
}

extension ScreenCommand {
    /// The key that opens the palette, and the keys in it, as in the dashboard.
    ///
    /// - Parameters:
    ///   - modes: Where it can be opened.
    ///   - texts: Where another text is written, in which the same keys erase.
    /// - Returns: Commands with the keys that the dashboard has for them.
    package static func palette(
        in modes: Set<KeyMode>,
        besides texts: Set<KeyMode> = []
    ) -> [Self] {
        let writing = texts.union([.palette])
        return [
            Self(
                .openPalette,
                in: modes,
                help: "find an action by its name",
                effect: change { $0.palette = Palette(over: $0.mode) }
            ),
            Self(
                .runFromPalette,
                in: [.palette],
                hint: { _ in "do it" },
                effect: { $0.runFromPalette() }
            ),
            Self(
                .completePalette,
                in: [.palette],
                hint: { _ in "complete" },
                effect: change { $0.paletteList?.complete() }
            ),
            Self(
                .nextInPalette,
                in: [.palette],
                hint: { _ in "select" },
                effect: change { $0.paletteList?.select(by: 1) }
            ),
            Self(
                .previousInPalette,
                in: [.palette],
                joinsPrevious: true,
                effect: change { $0.paletteList?.select(by: -1) }
            ),
            Self(
                .closePalette,
                in: [.palette],
                hint: { _ in "close" },
                effect: change { $0.palette = nil }
            ),
            Self(.erase, in: writing, effect: change { $0.edit(.erase) }),
            Self(.eraseAll, in: writing, effect: change { $0.edit(.eraseAll) }),
        ]
    }

    /// Changes the screen, and nothing else.
    static func change(_ body: @escaping @Sendable (inout Screen) -> Void) -> Effect {
        { screen in
            body(&screen)
            return nil
        }
    }
}
