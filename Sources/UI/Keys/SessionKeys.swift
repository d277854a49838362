import Model
import Profiles

// The keys that act on the session, or open an overlay about it.

/// Commands whose keys are named in texts.
extension KeyCommand {
    static let renew = KeyCommand(
        keys: ["r"],
        section: .session,
        name: "renew",
        hint: "renew",
        help: "renew the tokens now",
        scope: .session,
        obstacle: { $0.hasTokens ? nil : "nothing to renew: not logged in" },
        effect: .run { $0.command(.renewNow) }
    )

    static let pause = KeyCommand(
        keys: [" "],
        section: .session,
        name: "pause",
        hint: KeyCommand.Hint { viewModel in
            switch viewModel.session.flags.pauses[.user] {
            case nil: "pause "
            case .timer: "stop  "
            case .all: "resume"
            }
        },
        help: "pause renewal: timer, then all, resume",
        scope: .session,
        effect: .run { $0.cyclePause() }
    )

    static let logOut = KeyCommand(
        keys: ["l"],
        section: .session,
        name: "log_out",
        hint: "log out",
        help: "log out here (asks first)",
        scope: .session,
        obstacle: { $0.session.state.isLive ? nil : "not logged in" },
        effect: .change { $0.overlay = OpenOverlay(.question(.logOut)) }
    )

    static let logIn = KeyCommand(
        keys: ["o"],
        section: .session,
        name: "log_in",
        hint: "log in",
        help: "log in, by a form if need be",
        scope: .session,
        obstacle: { $0.loginObstacle },
        effect: .run { $0.logIn() }
    )

    static let introspect = KeyCommand(
        keys: ["I"],
        modes: [.panes, .overlay],
        section: .session,
        name: "introspection",
        help: "ask the server about the tokens",
        scope: .unchangedSession,
        obstacle: { context in
            if context.session.capabilities?.questions?.isEmpty ?? true {
                return "\(context.backend) names no introspection and no userinfo to ask"
            }
            return context.hasTokens ? nil : "no token to ask about: not logged in"
        },
        effect: .run { $0.introspect() }
    )

    static let tryVault = KeyCommand(
        keys: ["u"],
        section: .session,
        name: "try_vault",
        help: "try the vault again, when it is unlocked",
        scope: .unchangedSession,
        // That nothing need be done is no warning.
        warns: false,
        obstacle: { context in
            if case .vaultUnavailable = context.session.state { return nil }
            return context.session.flags.unsaved == nil
                ? "the vault can be read and written: nothing to do" : nil
        },
        effect: .run { $0.command(.tryVault) }
    )

    static let openExperiments = KeyCommand(
        keys: ["E"],
        modes: [.panes, .waiting, .faults, .experiments],
        section: .session,
        name: "experiments",
        help: Fault.Place.client.title.lowercased(),
        appHelp: Fault.Place.app.title.lowercased(),
        scope: .experiment,
        obstacle: { $0.experimentsObstacle },
        effect: .run { $0.openFaults(at: $0.isObserved ? .app : .client) }
    )

    static let repeatExperiment = KeyCommand(
        keys: ["e"],
        section: .session,
        name: "repeat_experiment",
        help: "the last experiment with an app again",
        scope: .experiment,
        obstacle: { $0.repeatObstacle },
        effect: .run { $0.repeatExperiment() }
    )
}

extension KeyTable {
    static let session: [KeyCommand] = [
        .renew,
        KeyCommand(
            keys: ["p"],
            section: .session,
            name: "send",
            hint: "send",
            help: "send the protected request",
            scope: .session,
            obstacle: { context in
                if context.session.capabilities?.hasProtectedRequest == false {
                    return "\(context.backend) names no protected request to send"
                }
                return context.hasTokens ? nil : "no access token to send: not logged in"
            },
            effect: .run { $0.command(.send(.request)) }
        ),
        KeyCommand(
            keys: ["P"],
            section: .session,
            name: "request",
            help: "write a request, and send it",
            scope: .session,
            obstacle: { $0.hasTokens ? nil : "no access token to send: not logged in" },
            effect: .change { $0.composeRequest() }
        ),
        .pause,
        .logOut,
        KeyCommand(
            keys: ["L"],
            section: .session,
            name: "log_out_everywhere",
            hint: "everywhere",
            help: "log out everywhere (asks first)",
            scope: .session,
            obstacle: { context in
                let scopes = context.session.capabilities?.logoutScopes
                guard scopes?.contains(.everywhere) ?? true else {
                    return "log out everywhere is not offered by \(context.backend)"
                }
                return context.session.state.isLive ? nil : "not logged in"
            },
            effect: .change { $0.overlay = OpenOverlay(.question(.logOutEverywhere)) }
        ),
        .logIn,
        KeyCommand(
            keys: ["i"],
            modes: [.panes, .overlay],
            section: .session,
            name: "statistics",
            help: "statistics of the session",
            effect: .change { $0.toggle(.statistics) }
        ),
        .introspect,
        .tryVault,
        KeyCommand(
            keys: ["S"],
            section: .session,
            name: "sessions",
            help: "active sessions of this user",
            scope: .session,
            obstacle: { $0.sessionsObstacle },
            effect: .run { $0.openSessions() }
        ),
        KeyCommand(
            keys: ["X"],
            modes: [.panes, .faults, .experiments],
            section: .session,
            name: "faults",
            help: "faults of the sandbox, to turn on and off",
            scope: .session,
            obstacle: { $0.faultsObstacle },
            effect: .run { $0.openFaults(at: .backend) }
        ),
        .openExperiments,
        .repeatExperiment,
        KeyCommand(
            keys: ["v"],
            section: .session,
            name: "edit_profile",
            help: "edit the profile, with $VISUAL or $EDITOR",
            scope: .session,
            effect: .run { [.editProfile(of: $0.selected.id)] }
        ),
        KeyCommand(
            keys: ["T"],
            modes: [.panes, .overlay],
            section: .session,
            name: "family_tree",
            help: "family tree of an app's tokens",
            appOnly: "a family tree is of an app's tokens, as authtop proxy sees them",
            effect: .change { $0.toggle(.familyTree) }
        ),
    ]
}
