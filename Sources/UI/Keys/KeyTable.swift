import Model

/// Every key of the program, in the order of the hints and of the help.
package enum KeyTable {
    package static let bindings: [KeyBinding] =
        replay + session + faults + experiments + panes + lists + lifeline + answers + filter + form
        + authorization + request + sessions + several + locked + program

    private static let replay: [KeyBinding] = [
        control([" "], .toggle, hint: "play/hold", "play, or hold"),
        control(["."], .step(1), hint: "step", "to the next event"),
        control([","], .step(-1), "to the one before"),
        control([.right], .seek(seconds: 10), hint: "10 s on", "10 s forward"),
        control([.left], .seek(seconds: -10), hint: "10 s back", "10 s back"),
        control(["+", "="], .faster, hint: "faster", "play faster"),
        control(["-"], .slower, hint: "slower", "slower"),
        control(["0"], .toStart, "to the start"),
        control(["$"], .toEnd, "to the end"),
    ]

    private static func control(
        _ keys: [Key],
        _ control: PlaybackControl,
        hint: String? = nil,
        _ help: String
    ) -> KeyBinding {
        KeyBinding(
            keys,
            .playback(control),
            in: [.replay],
            .replay,
            hint: hint,
            help: help,
            joinsPrevious: [.step(-1), .seek(seconds: -10), .slower, .toEnd].contains(control)
        )
    }

    private static let session: [KeyBinding] = [
        KeyBinding(["r"], .renew, .session, hint: "renew", help: "renew the tokens now"),
        KeyBinding(["p"], .send, .session, hint: "send", help: "send the protected request"),
        KeyBinding(["P"], .compose, .session, help: "write a request, and send it"),
        KeyBinding(
            [" "],
            .cyclePause,
            .session,
            hint: "pause",
            help: "pause renewal: timer, then all, resume"
        ),
        KeyBinding(["l"], .logOut, .session, hint: "log out", help: "log out here"),
        KeyBinding(
            ["L"],
            .logOutEverywhere,
            .session,
            hint: "everywhere",
            help: "log out everywhere (asks first)"
        ),
        KeyBinding(["o"], .logIn, .session, hint: "log in", help: "log in, by a form if need be"),
        KeyBinding(
            ["i"],
            .statistics,
            in: [.panes, .overlay],
            .session,
            help: "statistics of the session"
        ),
        KeyBinding(
            ["I"],
            .introspect,
            in: [.panes, .overlay],
            .session,
            help: "ask the server about the tokens"
        ),
        KeyBinding(["u"], .tryVault, .session, help: "try the vault again, when it is unlocked"),
        KeyBinding(["S"], .sessions, .session, help: "active sessions of this user"),
        KeyBinding(
            ["X"],
            .faults,
            in: [.panes, .faults],
            .session,
            help: "faults of the sandbox, to turn on and off"
        ),
        KeyBinding(
            ["E"],
            .experiments,
            in: [.panes, .experiments],
            .session,
            help: "experiments with the backend"
        ),
        KeyBinding(
            ["e"],
            .repeatExperiment,
            .session,
            help: "the last experiment with an app again"
        ),
        KeyBinding(
            ["T"],
            .familyTree,
            in: [.panes, .overlay],
            .session,
            help: "family tree of an app's tokens"
        ),
        KeyBinding(["f"], .newestFinding, .session, help: "to the newest finding of an app"),
        KeyBinding(
            ["A"],
            .listAllSessions,
            .session,
            help: "requests of all sessions of an app, or of one"
        ),
    ]

    private static let panes: [KeyBinding] =
        PaneCatalogue.numbered.map { pane in
            KeyBinding(
                [.character(Character(String(pane.id.rawValue)))],
                .focus(pane.id),
                .panes,
                help: pane.title,
                joinsPrevious: pane.id != PaneCatalogue.numbered[0].id
            )
        } + [
            KeyBinding([.tab], .nextPane, .panes, help: "next pane"),
            KeyBinding(
                [.shiftTab],
                .previousPane,
                .panes,
                help: "previous pane",
                joinsPrevious: true
            ),
            KeyBinding(["z"], .zoom, .panes, help: "zoom the pane, or all panes again"),
        ]

    private static let lists: [KeyBinding] = [
        KeyBinding(
            ["/"],
            .filter,
            in: [.panes, .faults],
            .lists,
            hint: "filter",
            help: "filter the list"
        ),
        KeyBinding(["n"], .nextMatch, .lists, help: "to the next match of the last filter, older"),
        KeyBinding(["N"], .previousMatch, .lists, help: "newer", joinsPrevious: true),
        KeyBinding([.enter], .detail, .lists, hint: "detail", help: "open what is selected"),
        KeyBinding(["y"], .copy, .lists, help: "copy it: a request as curl, others as Markdown"),
        KeyBinding(["F"], .toggleFollow, .lists, hint: "hold", help: "hold the list, or follow it"),
        move(["j", .down], .down, hint: "down", "down"),
        move(["k", .up], .up, hint: "up", "up; to older, newer in the lifeline"),
        move([.control("d")], .halfPageDown, "half a page down"),
        move([.control("u")], .halfPageUp, "up"),
        move([.pageDown], .pageDown, "a page down"),
        move([.pageUp], .pageUp, "up"),
        move(["g", .home], .start, "to the newest, and follow"),
        move(["G", .end], .end, "to the oldest"),
    ]

    /// Each has a key that is not one of the replay's.
    private static let lifeline: [KeyBinding] = [
        KeyBinding([.left, "<"], .lifeline(.earlier), .lifeline, help: "a column back"),
        KeyBinding([.right, ">"], .lifeline(.later), .lifeline, help: "on", joinsPrevious: true),
        KeyBinding(["+", "=", ")"], .lifeline(.zoomIn), .lifeline, help: "zoom in"),
        KeyBinding(["-", "("], .lifeline(.zoomOut), .lifeline, help: "out", joinsPrevious: true),
    ]

    private static let several: [KeyBinding] = [
        KeyBinding(["["], .previousSession, .several, help: "show the previous one"),
        KeyBinding(["]"], .nextSession, .several, help: "the next one", joinsPrevious: true),
    ]

    private static let everywhere = Set(KeyMode.allCases)

    private static let program: [KeyBinding] = [
        KeyBinding(
            [.escape, "q"],
            .back,
            in: [.overlay, .choice, .faults, .experiments],
            .program,
            hint: "back",
            help: "close"
        ),
        KeyBinding([.escape], .back, .program, help: "undo a zoom, a filter or a hold"),
        KeyBinding(
            ["w"],
            .writeRecording,
            .program,
            help: "write the last 10 min to a file, for replay"
        ),
        KeyBinding(["W"], .writeProfile, .program, help: "write a profile of an app's backend"),
        KeyBinding(["t"], .theme, in: [.panes, .overlay], .program, help: "next theme"),
        KeyBinding(
            [.control("l")],
            .redraw,
            in: everywhere,
            .program,
            help: "draw the screen again"
        ),
        KeyBinding([.control("z")], .suspend, in: everywhere, .program, help: "suspend"),
        KeyBinding(
            ["K"],
            .lock,
            in: [.panes, .overlay, .choice, .faults, .experiments, .question, .authorization],
            .program,
            help: "lock the screen"
        ),
        KeyBinding(["q"], .quit, .program, hint: "quit", help: "quit"),
        KeyBinding([.control("c")], .quitNow, in: everywhere, .program, help: "quit at once"),
        KeyBinding(
            ["?", .function(1)],
            .help,
            in: [.panes, .overlay],
            .program,
            hint: "help",
            help: "this help"
        ),
    ]

    private static func move(
        _ keys: [Key],
        _ move: ListMove,
        hint: String? = nil,
        _ help: String
    ) -> KeyBinding {
        KeyBinding(
            keys,
            .move(move),
            in: [.panes, .overlay, .choice, .faults, .experiments],
            .lists,
            hint: hint,
            hinted: [.overlay, .choice],
            help: help,
            joinsPrevious: [.up, .halfPageUp, .pageUp, .end].contains(move)
        )
    }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
    package init(extendedGraphemeClusterLiteral value: Character) {
        self = .character(value)
    }
}
