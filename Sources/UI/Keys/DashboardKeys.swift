// Keys that select panes and sessions, and keys of the program.

/// Commands whose keys are named in texts.
extension KeyCommand {
    static let previousSession = KeyCommand(
        keys: ["["],
        section: .several,
        name: "previous_session",
        help: "show the previous one",
        effect: .change { $0.select(by: -1, at: $0.lastMoment) }
    )

    static let nextSession = KeyCommand(
        keys: ["]"],
        section: .several,
        name: "next_session",
        help: "the next one",
        joinsPrevious: true,
        effect: .change { $0.select(by: 1, at: $0.lastMoment) }
    )

    package static let close = KeyCommand(
        keys: [.escape, "q"],
        modes: [.overlay, .choice, .faults, .experiments],
        section: .program,
        hint: KeyCommand.Hint("back", isLasting: true),
        help: "close",
        effect: .change { $0.back() }
    )

    static let escape = KeyCommand(
        keys: [.escape],
        section: .program,
        help: "give up a login that waits; undo a zoom, a filter, a hold",
        isInPalette: false,
        effect: .run { $0.escape() }
    )

    package static let quit = KeyCommand(
        keys: ["q"],
        modes: [.panes, .waiting],
        section: .program,
        name: "quit",
        hint: KeyCommand.Hint("quit", isLasting: true),
        help: "quit",
        effect: .command(.quit)
    )

    package static let quitAtOnce = KeyCommand(
        keys: [.control("c")],
        modes: KeyTable.everywhere,
        section: .program,
        help: "quit at once",
        effect: .command(.quitAtOnce)
    )

    static let redraw = KeyCommand(
        keys: [.control("l"), .control("r")],
        modes: KeyTable.everywhere,
        section: .program,
        name: "redraw",
        help: "draw the screen again",
        effect: .command(.redraw)
    )

    static let suspend = KeyCommand(
        keys: [.control("z")],
        modes: KeyTable.everywhere,
        section: .program,
        help: "suspend",
        effect: .command(.suspend)
    )

    package static let help = KeyCommand(
        keys: ["?", "h", .function(1)],
        modes: [.panes, .waiting, .overlay],
        section: .program,
        name: "help",
        hint: KeyCommand.Hint("help", isLasting: true),
        help: "this help",
        effect: .change { $0.toggle(.help) }
    )
}

extension KeyTable {
    static let panes: [KeyCommand] =
        PaneCatalogue.numbered.map { pane in
            KeyCommand(
                keys: [.character(Character(String(pane.id.rawValue)))],
                section: .panes,
                help: pane.title,
                joinsPrevious: pane.id != PaneCatalogue.numbered[0].id,
                appOnly: pane.id == FindingsPane.id ? FindingsPane.appOnly : nil,
                effect: .change { $0.show(pane.id) }
            )
        } + [
            KeyCommand(
                keys: [.tab],
                section: .panes,
                name: "next_pane",
                help: "next pane",
                effect: .change { $0.focus = $0.neighbor(by: 1) }
            ),
            KeyCommand(
                keys: [.shiftTab],
                section: .panes,
                name: "previous_pane",
                help: "previous pane",
                joinsPrevious: true,
                effect: .change { $0.focus = $0.neighbor(by: -1) }
            ),
            KeyCommand(
                keys: ["z"],
                section: .panes,
                name: "zoom",
                help: "zoom the pane, or all panes again",
                effect: .change { $0.zoom() }
            ),
        ]

    static let several: [KeyCommand] = [
        .previousSession,
        .nextSession,
    ]

    fileprivate static let everywhere = Set(KeyMode.allCases)

    static let program: [KeyCommand] = [
        .close,
        .escape,
        .openPalette,
        KeyCommand(
            keys: ["w"],
            section: .program,
            name: "write",
            help: "write the last 10 m to a file, for replay",
            effect: .command(.writeRecording)
        ),
        KeyCommand(
            keys: ["W"],
            section: .program,
            name: "write_profile",
            help: "write a profile of an app's backend",
            appOnly: "a profile is learned from an app's traffic, by authtop proxy",
            effect: .command(.writeProfile)
        ),
        KeyCommand(
            keys: ["t"],
            modes: [.panes, .waiting, .overlay],
            section: .program,
            name: "theme",
            help: "next theme",
            effect: .run { $0.nextTheme() }
        ),
        .redraw,
        .suspend,
        KeyCommand(
            keys: ["K"],
            modes: [
                .panes, .waiting, .overlay, .choice, .faults, .experiments, .question,
                .authorization,
            ],
            section: .program,
            name: "lock",
            help: "lock the screen",
            scope: .lock,
            effect: .command(.lock)
        ),
        .quit,
        .quitAtOnce,
        .help,
    ]
}
