import Lifecycle

extension DashboardState {
    /// At once where everything is known, unless the backend has just refused it: then the form
    /// opens, so that it can be put right.
    mutating func logIn() -> [DashboardCommand] {
        let fields = configuration.credentials
        let isKnown = fields.allSatisfy { $0.origin != nil }
        let wasRefused = session.loginFailure?.kind == .refused
        guard !fields.isEmpty, !isKnown || wasRefused else { return [.logIn] }
        box = OpenBox(.login(LoginForm(fields)))
        return []
    }

    mutating func editForm(_ body: (inout LoginForm) -> Void) {
        guard case .login(var form)? = box?.box else { return }
        body(&form)
        box?.box = .login(form)
    }

    /// Enter: to the next field, and from the last one to the backend.
    mutating func acceptField() -> [DashboardCommand] {
        guard case .login(var form)? = box?.box else { return [] }
        guard form.isAtEnd else {
            editForm { $0.move(by: 1) }
            return []
        }
        if let missing = form.seekMissing() {
            box?.box = .login(form)
            notice = Notice("\(missing) is missing")
            return []
        }
        let values = form.values
        for index in configuration.credentials.indices
        where values[configuration.credentials[index].name] != nil {
            configuration.credentials[index].origin = "typed here before"
        }
        box = nil
        return values.isEmpty ? [.logIn] : [.logInWith(values)]
    }
}
