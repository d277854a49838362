import Model

/// What a row of the dashboard's palette does.
enum DashboardPaletteAction: Sendable {
    /// An action, or a pane to show.
    case command(KeyCommand)
    case show(SessionID)
}

extension PaletteList where Action == DashboardPaletteAction {
    init(viewModel: ViewModel, palette: Palette) {
        let keys = viewModel.keys
        let context = viewModel.keyContext
        /// Whether a command is one of this screen, and none that only a key is for.
        func isListed(_ command: KeyCommand) -> Bool {
            guard command.isInPalette else { return false }
            if viewModel.isObserved ? command.isForOwnSession : command.appOnly != nil {
                return false
            }
            if command.modes.contains(palette.mode) { return true }
            // A recording has the keys of the panes, too, but none that acts on a session.
            return palette.mode == .replay && command.modes.contains(.panes)
                && command.scope == .screen
        }
        let commands = KeyTable.commands.filter(isListed).map { command in
            let key = keys.keys(of: command).first { key in
                keys.command(for: key, in: palette.mode)?.help == command.help
            }
            return PaletteRow(
                command,
                help: command.help(in: context),
                key: key.map(KeyText.name) ?? "",
                obstacle: command.obstacle(in: context),
                action: Action.command(command)
            )
        }
        let sessions = viewModel.sessions.map { session in
            PaletteRow(
                title: session.id.description,
                help: "show this session",
                action: Action.show(session.id)
            )
        }
        self.init(palette: palette, all: commands + sessions)
    }
}

/// The palette: every action and pane by its name.
extension DashboardState {
    /// The list, or `nil` if it is not shown.
    private var paletteList: PaletteList<DashboardPaletteAction>? {
        get {
            guard case .palette(let palette)? = overlay?.content else { return nil }
            return PaletteList(viewModel: presentViewModel, palette: palette)
        }
        set {
            guard let palette = newValue?.palette else { return }
            overlay?.content = .palette(palette)
        }
    }

    mutating func openPalette() {
        overlay = OpenOverlay(.palette(Palette(over: mode)))
    }

    mutating func selectInPalette(by step: Int) {
        paletteList?.select(by: step)
    }

    mutating func completePalette() {
        paletteList?.complete()
    }

    /// Closes the palette, and does what its selected row says.
    mutating func runFromPalette() -> [DashboardCommand] {
        guard let selected = paletteList?.selected else {
            notice = Notice("nothing matches")
            return []
        }
        overlay = nil
        switch selected.action {
        case .command(let command): return perform(command)
        case .show(let id):
            selection = id
            hasChosenSession = true
            return []
        }
    }
}

/// Commands that screens beside the dashboard have, too.
extension KeyCommand {
    static let openPalette = KeyCommand(
        keys: [":"],
        modes: [.panes, .waiting],
        section: .program,
        name: "palette",
        help: "find an action, a pane or a session by its name",
        isInPalette: false,
        effect: .change { $0.openPalette() }
    )

    static let runFromPalette = KeyCommand(
        keys: [.enter],
        modes: [.palette],
        section: .palette,
        hint: "do it",
        help: "do what is selected",
        effect: .run { $0.runFromPalette() }
    )

    static let completePalette = KeyCommand(
        keys: [.tab],
        modes: [.palette],
        section: .palette,
        hint: "complete",
        help: "complete what is written",
        effect: .change { $0.completePalette() }
    )

    static let nextInPalette = KeyCommand(
        keys: [.down],
        modes: [.palette],
        section: .palette,
        hint: "next",
        help: "to the next row",
        effect: .change { $0.selectInPalette(by: 1) }
    )

    static let previousInPalette = KeyCommand(
        keys: [.up],
        modes: [.palette],
        section: .palette,
        hint: "previous",
        help: "to the one above",
        joinsPrevious: true,
        effect: .change { $0.selectInPalette(by: -1) }
    )

    static let closePalette = KeyCommand(
        keys: [.escape],
        modes: [.palette],
        section: .palette,
        hint: "close",
        help: "close it",
        effect: .change { $0.back() }
    )
}

extension KeyTable {
    static let palette: [KeyCommand] = [
        .runFromPalette, .completePalette, .nextInPalette, .previousInPalette, .closePalette,
    ]
}
