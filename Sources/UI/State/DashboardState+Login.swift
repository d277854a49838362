import Model
import Profiles

extension DashboardState {
    /// At once where everything is known, unless the backend has just refused it: then the form
    /// opens, so that it can be put right.
    mutating func logIn() -> [DashboardCommand] {
        if session.authorization != nil {
            overlay = OpenOverlay(.authorization)
            return []
        }
        let fields = selected.credentials
        let isKnown = fields.allSatisfy { $0.origin != nil }
        let wasRefused = session.loginFailure?.kind == .refused
        guard !fields.isEmpty, !isKnown || wasRefused else { return command(.logIn) }
        overlay = OpenOverlay(.login(LoginForm(fields)))
        return []
    }

    /// Shows a login of the selected session while it waits for the user's browser.
    mutating func followAuthorization(_ event: SessionEvent) {
        guard event.session == selected.id, playback == nil else { return }
        if event.kind is AuthorizationPrompt, overlay == nil, prompt == nil {
            overlay = OpenOverlay(.authorization)
        } else if overlay?.content == .authorization, session.authorization == nil {
            overlay = nil
        }
    }

    mutating func cancelLogIn() -> [DashboardCommand] {
        overlay = nil
        return configuration.isReadOnly ? [] : command(.cancelLogIn)
    }

    /// Gives up a login that waits for the lock, or else undoes what changes the view.
    mutating func escape() -> [DashboardCommand] {
        guard overlay == nil, playback == nil, session.isLoginWaitingForLock else {
            back()
            return []
        }
        return cancelLogIn()
    }

    func copyURL() -> [DashboardCommand] {
        guard let url = session.authorization?.url else { return [] }
        return [.copy(CopiedText(name: "the address", text: url))]
    }

    /// Goes to the next field, and from the last one to the backend.
    mutating func acceptField() -> [DashboardCommand] {
        guard case .login(var form)? = overlay?.content else { return [] }
        guard form.isAtEnd else {
            edit(.move(1))
            return []
        }
        if let missing = form.seekMissing() {
            overlay?.content = .login(form)
            notice = Notice("\(missing) is missing")
            return []
        }
        let values = form.values
        for index in selected.credentials.indices
        where values[selected.credentials[index].name] != nil {
            selected.credentials[index].origin = "typed here before"
        }
        overlay = nil
        return values.isEmpty ? command(.logIn) : [.logInWith(values, on: selected.id)]
    }
}

extension SessionSnapshot {
    /// Whether a login waits for the lock that another process holds, and has sent nothing yet.
    fileprivate var isLoginWaitingForLock: Bool {
        state == .signingIn && renewalPlan?.lockHeldSince != nil
    }
}

extension KeyContext {
    /// A session that is ending, that cannot be renewed, or whose backend does not respond, may be
    /// replaced.
    var loginObstacle: String? {
        switch session.state {
        case .signingIn where session.isLoginWaitingForLock:
            "already logging in: \(keys.name(of: .escape)) gives it up"
        case .signingIn: session.authorization == nil ? "already logging in" : nil
        case .fresh, .renewing, .retrying, .blocked, .unknown:
            session.canRenew(at: now)
                ? "already logged in: log out first with \(keys.name(of: .logOut))" : nil
        case .cold, .vaultUnavailable, .signedOut, .expired, .draining, .signingOut: nil
        }
    }
}

extension KeyTable {
    static let login: [KeyCommand] = [
        KeyCommand(
            keys: [.enter],
            modes: [.form],
            section: .form,
            hint: "next, log in",
            help: "next field; in the last one, log in",
            effect: .run { $0.acceptField() }
        ),
        KeyCommand(
            keys: [.tab, .down],
            modes: [.form],
            section: .form,
            hint: "next field",
            help: "next field",
            effect: .change { $0.edit(.move(1)) }
        ),
        KeyCommand(
            keys: [.shiftTab, .up],
            modes: [.form],
            section: .form,
            help: "previous field",
            joinsPrevious: true,
            effect: .change { $0.edit(.move(-1)) }
        ),
        KeyCommand(
            keys: [.escape],
            modes: [.form],
            section: .form,
            hint: "cancel",
            help: "cancel",
            effect: .change { $0.back() }
        ),
    ]

    static let authorization: [KeyCommand] = [
        KeyCommand(
            keys: ["y"],
            modes: [.authorization],
            section: .authorization,
            hint: "copy the address",
            help: "copy the address",
            effect: .run { $0.copyURL() }
        ),
        KeyCommand(
            keys: [.escape],
            modes: [.authorization],
            section: .authorization,
            hint: "cancel",
            help: "cancel the login",
            scope: .unchangedSession,
            effect: .run { $0.cancelLogIn() }
        ),
    ]
}
