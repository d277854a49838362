import Model

/// The palette: every action and pane by its name.
extension DashboardState {
    /// The list, or `nil` if it is not shown.
    private var paletteList: PaletteList? {
        guard case .palette(let palette)? = overlay?.content else { return nil }
        return PaletteList(viewModel: presentViewModel, palette: palette)
    }

    mutating func openPalette() {
        overlay = OpenOverlay(.palette(Palette(over: mode)))
    }

    /// Selects the row that is some rows further, and none beyond the ends.
    mutating func selectInPalette(by step: Int) {
        guard let list = paletteList else { return }
        var palette = list.palette
        palette.select(max(0, min(palette.selected + step, list.rows.count - 1)))
        overlay?.content = .palette(palette)
    }

    mutating func completePalette() {
        guard let list = paletteList, let completion = list.completion else { return }
        var palette = list.palette
        palette.complete(to: completion)
        overlay?.content = .palette(palette)
    }

    /// Closes the palette, and does what its selected row says.
    mutating func runFromPalette() -> [DashboardCommand] {
        guard let selected = paletteList?.selected else {
            notice = Notice("nothing matches")
            return []
        }
        overlay = nil
        switch selected {
        case .command(let command): return perform(command)
        case .session(let id):
            selection = id
            hasChosenSession = true
            return []
        }
    }
}

extension KeyTable {
    static let palette: [KeyCommand] = [
        KeyCommand(
            keys: [.enter],
            modes: [.palette],
            section: .palette,
            hint: "do it",
            help: "do what is selected",
            effect: .run { $0.runFromPalette() }
        ),
        KeyCommand(
            keys: [.tab],
            modes: [.palette],
            section: .palette,
            hint: "complete",
            help: "complete what is written",
            effect: .change { $0.completePalette() }
        ),
        KeyCommand(
            keys: [.down],
            modes: [.palette],
            section: .palette,
            hint: "next",
            help: "to the next row",
            effect: .change { $0.selectInPalette(by: 1) }
        ),
        KeyCommand(
            keys: [.up],
            modes: [.palette],
            section: .palette,
            hint: "previous",
            help: "to the one above",
            joinsPrevious: true,
            effect: .change { $0.selectInPalette(by: -1) }
        ),
        KeyCommand(
            keys: [.escape],
            modes: [.palette],
            section: .palette,
            hint: "close",
            help: "close it",
            effect: .change { $0.back() }
        ),
    ]
}
