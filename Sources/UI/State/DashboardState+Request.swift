import Model

/// The user's own request.
extension DashboardState {
    mutating func composeRequest() {
        overlay = OpenOverlay(.request(RequestForm(history: selected.requestHistory)))
    }

    mutating func recallRequest(_ step: Int) {
        guard case .request(var form)? = overlay?.content else { return }
        form.recall(step)
        overlay?.content = .request(form)
    }

    /// Enter in the last field sends it, unless something is wrong with it.
    mutating func acceptRequest(_ form: RequestForm) -> [DashboardCommand] {
        var form = form
        guard form.isAtEnd else {
            form.apply(.move(1))
            overlay?.content = .request(form)
            return []
        }
        guard let request = form.request() else {
            overlay?.content = .request(form)
            return []
        }
        selected.requestHistory.add(request)
        overlay = nil
        return command(.send(.custom(request)))
    }
}
