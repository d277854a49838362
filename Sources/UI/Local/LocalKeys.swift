// The keys of the sessions of this machine, in the order of the last row, of the help and of the
// manual page.

/// Commands whose keys are named in texts.
extension LocalScreen {
    static let watch = own(
        ["w"],
        name: "watch",
        hint: "watch",
        help: "watch a session of authtop's own",
        { .watch(profile: $0, baseURL: $1) }
    )

    /// The ways to what else there is.
    static let doors: [ScreenCommand<Self>] = [
        ScreenCommand(
            ["a"],
            name: "my_app",
            help: "watch the requests and tokens of an app through a proxy",
            hint: { _ in "my app" },
            effect: { _ in .leave(.proxy) }
        ),
        ScreenCommand(
            ["b"],
            name: "my_backend",
            help: "watch a session of a backend, and test how it refreshes",
            hint: { _ in "my backend" },
            effect: ScreenCommand.change { $0.open(.guide(.backend)) }
        ),
        ScreenCommand(
            ["c"],
            name: "my_ci",
            help: "fail a build when a session is handled wrong",
            hint: { _ in "my CI" },
            effect: ScreenCommand.change { $0.open(.guide(.pipeline)) }
        ),
        ScreenCommand(
            ["d"],
            name: "demo",
            help: "watch a session on the built-in backend; nothing is needed",
            hint: { _ in "demo" },
            effect: { _ in .leave(.demo) }
        ),
    ]
}

extension LocalScreen: KeyedScreen {
    package static let title = "The sessions of this machine"

    package static let commands: [ScreenCommand<Self>] =
        moves + rows + doors + back + filter + palette + terminal + program

    private static let moves: [ScreenCommand<Self>] = ScreenCommand.moves(
        in: [.panes, .overlay],
        start: "to the first, and stay there",
        hint: { screen in
            screen.page != .table ? "scroll" : screen.hasRows ? "select" : nil
        },
        effect: { $0.move($1) }
    )

    private static let rows: [ScreenCommand<Self>] = [
        ScreenCommand(
            .openDetail,
            or: [.right],
            in: [.panes],
            help: "show what a session consists of, and what is wrong with it",
            hint: { $0.hasRows ? "details" : nil },
            obstacle: { $0.hasRows ? nil : "there is no session" },
            effect: ScreenCommand.change { $0.open(.detail) }
        ),
        watch,
        own(.logIn, hint: "log in", help: "log in") { .logIn(profile: $0, baseURL: $1) },
        own(.renew, hint: "renew", help: "renew its tokens once") {
            .refresh(profile: $0, baseURL: $1)
        },
        own(.logOut, hint: "log out", help: "log out") { .logOut(profile: $0, baseURL: $1) },
        ScreenCommand(
            .openFilter,
            in: [.panes],
            hint: { $0.hasRows ? "filter" : nil },
            obstacle: { $0.hasRows ? nil : "there is no session" },
            effect: ScreenCommand.change { $0.openFilter() }
        ),
        ScreenCommand(
            ["s"],
            name: "sort",
            help: "sort by time left, provider, account or place",
            hint: { $0.hasRows ? "sort" : nil },
            obstacle: { $0.hasRows ? nil : "there is no session" },
            effect: ScreenCommand.change { $0.sort() }
        ),
    ]

    private static let back: [ScreenCommand<Self>] = [
        ScreenCommand(
            .close,
            or: [.left],
            in: [.overlay],
            help: "back to the sessions",
            hint: { _ in "back" },
            effect: ScreenCommand.change { $0.open(.table) }
        ),
        ScreenCommand(
            .escape,
            in: [.panes],
            help: "undo the filter, then the choice of a row",
            effect: ScreenCommand.change { $0.undo() }
        ),
    ]

    private static let filter: [ScreenCommand<Self>] = [
        ScreenCommand(
            .keepFilter,
            in: [.prompt],
            help: "keep the filter",
            effect: ScreenCommand.change { $0.keepFilter() }
        ),
        ScreenCommand(
            .clearFilter,
            in: [.prompt],
            help: "clear the filter",
            effect: ScreenCommand.change { $0.clearFilter() }
        ),
    ]

    private static let palette: [ScreenCommand<Self>] = ScreenCommand.palette(
        in: [.panes, .overlay],
        besides: [.prompt]
    )

    private static let terminal: [ScreenCommand<Self>] = ScreenCommand.terminal(
        in: [.panes, .overlay, .prompt, .palette]
    )

    private static let program: [ScreenCommand<Self>] = [
        ScreenCommand(
            .quit,
            in: [.panes],
            hint: { _ in "quit" },
            effect: { _ in .leave(.quit) }
        ),
        ScreenCommand(
            .quitAtOnce,
            in: [.panes, .overlay, .prompt, .palette],
            effect: { _ in .leave(.quit) }
        ),
        ScreenCommand(
            .help,
            in: [.panes, .overlay],
            hint: { _ in "help" },
            effect: ScreenCommand.change { $0.open($0.page == .help ? .table : .help) }
        ),
    ]

    /// A command for a session of authtop's own that the dashboard does not have.
    private static func own(
        _ keys: [Key],
        name: String,
        hint: String,
        help: String,
        _ choice: @escaping @Sendable (String, String?) -> Choice
    ) -> ScreenCommand<Self> {
        ScreenCommand(
            keys,
            name: name,
            in: [.panes, .overlay],
            help: help,
            hint: { $0.isOwnSelected ? hint : nil },
            obstacle: { $0.obstacleToOwn },
            effect: { $0.choose(choice) }
        )
    }

    /// A command for a session of authtop's own.
    private static func own(
        _ command: KeyCommand,
        hint: String,
        help: String,
        _ choice: @escaping @Sendable (String, String?) -> Choice
    ) -> ScreenCommand<Self> {
        ScreenCommand(
            command,
            in: [.panes, .overlay],
            help: help,
            hint: { $0.isOwnSelected ? hint : nil },
            obstacle: { $0.obstacleToOwn },
            effect: { $0.choose(choice) }
        )
    }
}
