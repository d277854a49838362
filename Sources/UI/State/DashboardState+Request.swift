import Model

/// The user's own request.
extension DashboardState {
    mutating func composeRequest() {
        box = OpenBox(.request(RequestForm(history: selected.requestHistory)))
    }

    mutating func recallRequest(_ step: Int) {
        guard case .request(var form)? = box?.box else { return }
        form.recall(step)
        box?.box = .request(form)
    }

    /// Enter in the last field sends it, unless something is wrong with it.
    mutating func acceptRequest(_ form: RequestForm) -> [DashboardCommand] {
        var form = form
        guard form.isAtEnd else {
            form.apply(.move(1))
            box?.box = .request(form)
            return []
        }
        guard let request = form.request() else {
            box?.box = .request(form)
            return []
        }
        selected.requestHistory.add(request)
        box = nil
        return command(.send(.custom(request)))
    }
}
