import Model
import Profiles

// The keys of the dashboard: of the session and of the program, and those that open overlays.

extension KeyTable {
    static let session: [KeyCommand] = [
        KeyCommand(
            ["r"],
            .session,
            name: "renew",
            hint: "renew",
            help: "renew the tokens now",
            on: .session,
            obstacle: { $0.hasTokens ? nil : "nothing to renew: not logged in" },
            run: { $0.command(.renewNow) }
        ),
        KeyCommand(
            ["p"],
            .session,
            name: "send",
            hint: "send",
            help: "send the protected request",
            on: .session,
            obstacle: { context in
                if context.session.capabilities?.hasProtectedRequest == false {
                    return "\(context.backend) names no protected request to send"
                }
                return context.hasTokens ? nil : "no access token to send: not logged in"
            },
            run: { $0.command(.send(.request)) }
        ),
        KeyCommand(
            ["P"],
            .session,
            name: "request",
            help: "write a request, and send it",
            on: .session,
            obstacle: { $0.hasTokens ? nil : "no access token to send: not logged in" },
            change: { $0.composeRequest() }
        ),
        KeyCommand(
            [" "],
            .session,
            name: "pause",
            hint: KeyCommand.Hint { viewModel in
                switch viewModel.session.flags.pauses[.user] {
                case nil: "pause "
                case .timer: "stop  "
                case .all: "resume"
                }
            },
            help: "pause renewal: timer, then all, resume",
            on: .session,
            run: { $0.cyclePause() }
        ),
        KeyCommand(
            ["l"],
            .session,
            name: "log_out",
            hint: "log out",
            help: "log out here",
            on: .session,
            obstacle: { $0.session.state.isLive ? nil : "not logged in" },
            run: { $0.logOut() }
        ),
        KeyCommand(
            ["L"],
            .session,
            name: "log_out_everywhere",
            hint: "everywhere",
            help: "log out everywhere (asks first)",
            on: .session,
            obstacle: { context in
                let scopes = context.session.capabilities?.logoutScopes
                guard scopes?.contains(.everywhere) ?? true else {
                    return "log out everywhere is not offered by \(context.backend)"
                }
                return context.session.state.isLive ? nil : "not logged in"
            },
            change: { $0.overlay = OpenOverlay(.question(.logOutEverywhere)) }
        ),
        KeyCommand(
            ["o"],
            .session,
            name: "log_in",
            hint: "log in",
            help: "log in, by a form if need be",
            on: .session,
            obstacle: { $0.loginObstacle },
            run: { $0.logIn() }
        ),
        KeyCommand(
            ["i"],
            in: [.panes, .overlay],
            .session,
            name: "statistics",
            help: "statistics of the session",
            change: { $0.toggle(.statistics) }
        ),
        KeyCommand(
            ["I"],
            in: [.panes, .overlay],
            .session,
            name: "second_opinion",
            help: "ask the server about the tokens",
            on: .unchangedSession,
            obstacle: { context in
                if context.session.capabilities?.questions?.isEmpty ?? true {
                    return "\(context.backend) names no introspection and no userinfo to ask"
                }
                return context.hasTokens ? nil : "no token to ask about: not logged in"
            },
            run: { $0.introspect() }
        ),
        KeyCommand(
            ["u"],
            .session,
            name: "try_vault",
            help: "try the vault again, when it is unlocked",
            on: .unchangedSession,
            // That nothing need be done is no warning.
            warns: false,
            obstacle: { context in
                if case .vaultUnavailable = context.session.state { return nil }
                return context.session.flags.unsaved == nil
                    ? "the vault can be read and written: nothing to do" : nil
            },
            run: { $0.command(.tryVault) }
        ),
        KeyCommand(
            ["S"],
            .session,
            name: "sessions",
            help: "active sessions of this user",
            on: .session,
            obstacle: { $0.sessionsObstacle },
            run: { $0.openSessions() }
        ),
        KeyCommand(
            ["X"],
            in: [.panes, .faults],
            .session,
            name: "faults",
            help: "faults of the sandbox, to turn on and off",
            on: .session,
            obstacle: { $0.faultsObstacle },
            run: { $0.openFaults() }
        ),
        KeyCommand(
            ["E"],
            in: [.panes, .experiments],
            .session,
            name: "experiments",
            help: "experiments with the backend",
            on: .experiment,
            obstacle: { $0.experimentsObstacle },
            change: { $0.openExperiments() }
        ),
        KeyCommand(
            ["e"],
            .session,
            name: "repeat_experiment",
            help: "the last experiment with an app again",
            on: .experiment,
            appOnly: "e repeats an experiment with an app, in authtop proxy; E lists yours",
            run: { $0.repeatExperiment() }
        ),
        KeyCommand(
            ["T"],
            in: [.panes, .overlay],
            .session,
            name: "family_tree",
            help: "family tree of an app's tokens",
            appOnly: "a family tree is of an app's tokens, as authtop proxy sees them",
            change: { $0.toggle(.familyTree) }
        ),
    ]

    static let panes: [KeyCommand] =
        PaneCatalogue.numbered.map { pane in
            KeyCommand(
                [.character(Character(String(pane.id.rawValue)))],
                .panes,
                help: pane.title,
                joinsPrevious: pane.id != PaneCatalogue.numbered[0].id,
                appOnly: pane.id == FindingsPane.id ? FindingsPane.appOnly : nil,
                change: { $0.focus = pane.id }
            )
        } + [
            KeyCommand(
                [.tab],
                .panes,
                name: "next_pane",
                help: "next pane",
                change: { $0.focus = $0.neighbour(by: 1) }
            ),
            KeyCommand(
                [.shiftTab],
                .panes,
                name: "previous_pane",
                help: "previous pane",
                joinsPrevious: true,
                change: { $0.focus = $0.neighbour(by: -1) }
            ),
            KeyCommand(
                ["z"],
                .panes,
                name: "zoom",
                help: "zoom the pane, or all panes again",
                change: { $0.zoom() }
            ),
        ]

    static let several: [KeyCommand] = [
        KeyCommand(
            ["["],
            .several,
            name: "previous_session",
            help: "show the previous one",
            change: { $0.select(by: -1, at: $0.lastMoment) }
        ),
        KeyCommand(
            ["]"],
            .several,
            name: "next_session",
            help: "the next one",
            joinsPrevious: true,
            change: { $0.select(by: 1, at: $0.lastMoment) }
        ),
    ]

    private static let everywhere = Set(KeyMode.allCases)

    static let program: [KeyCommand] = [
        KeyCommand(
            [.escape, "q"],
            in: [.overlay, .choice, .faults, .experiments],
            .program,
            hint: "back",
            help: "close",
            change: { $0.back() }
        ),
        KeyCommand(
            [.escape],
            .program,
            help: "undo a zoom, a filter or a hold",
            change: { $0.back() }
        ),
        KeyCommand(
            ["w"],
            .program,
            name: "write",
            help: "write the last 10 min to a file, for replay",
            run: { _ in [.writeRecording] }
        ),
        KeyCommand(
            ["W"],
            .program,
            name: "write_profile",
            help: "write a profile of an app's backend",
            appOnly: "a profile is learned from an app's traffic, by authtop proxy",
            run: { _ in [.writeProfile] }
        ),
        KeyCommand(
            ["t"],
            in: [.panes, .overlay],
            .program,
            name: "theme",
            help: "next theme",
            run: { $0.nextTheme() }
        ),
        KeyCommand(
            [.control("l")],
            in: everywhere,
            .program,
            name: "redraw",
            help: "draw the screen again",
            run: { _ in [.redraw] }
        ),
        KeyCommand(
            [.control("z")],
            in: everywhere,
            .program,
            help: "suspend",
            run: { _ in [.suspend] }
        ),
        KeyCommand(
            ["K"],
            in: [.panes, .overlay, .choice, .faults, .experiments, .question, .authorization],
            .program,
            name: "lock",
            help: "lock the screen",
            on: .lock,
            run: { _ in [.lock] }
        ),
        KeyCommand(
            ["q"],
            .program,
            name: "quit",
            hint: KeyCommand.Hint("quit", isLasting: true),
            help: "quit",
            run: { _ in [.quit] }
        ),
        KeyCommand(
            [.control("c")],
            in: everywhere,
            .program,
            help: "quit at once",
            run: { _ in [.quit] }
        ),
        KeyCommand(
            ["?", .function(1)],
            in: [.panes, .overlay],
            .program,
            name: "help",
            hint: KeyCommand.Hint("help", isLasting: true),
            help: "this help",
            change: { $0.toggle(.help) }
        ),
    ]
}
