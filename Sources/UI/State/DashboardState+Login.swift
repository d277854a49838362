import Model

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

    /// Shows a sign-in of the selected session while it waits for the user's browser.
    mutating func followAuthorization(_ event: SessionEvent) {
        guard event.session == selected.id, playback == nil else { return }
        if case .authorizationRequested = event.kind, overlay == nil, prompt == nil {
            overlay = OpenOverlay(.authorization)
        } else if overlay?.content == .authorization, session.authorization == nil {
            overlay = nil
        }
    }

    mutating func cancelLogIn() -> [DashboardCommand] {
        overlay = nil
        return configuration.isReadOnly ? [] : command(.cancelLogIn)
    }

    func copyURL() -> [DashboardCommand] {
        guard let url = session.authorization?.url else { return [] }
        return [.copy(CopiedText(name: "the address", text: url))]
    }

    /// Enter: to the next field, and from the last one to the backend.
    mutating func acceptField() -> [DashboardCommand] {
        if case .request(let form)? = overlay?.content { return acceptRequest(form) }
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
