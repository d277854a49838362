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
    mutating func acceptRequest() -> [DashboardCommand] {
        guard case .request(var form)? = overlay?.content else { return [] }
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

extension KeyTable {
    static let request: [KeyCommand] = [
        KeyCommand(
            [.enter],
            in: [.request],
            .request,
            hint: "next, send",
            help: "next field; in the last one, send",
            run: { $0.acceptRequest() }
        ),
        KeyCommand(
            [.tab],
            in: [.request],
            .request,
            hint: "next field",
            help: "next field",
            change: { $0.edit(.move(1)) }
        ),
        KeyCommand(
            [.shiftTab],
            in: [.request],
            .request,
            help: "previous field",
            joinsPrevious: true,
            change: { $0.edit(.move(-1)) }
        ),
        KeyCommand(
            [.up],
            in: [.request],
            .request,
            hint: "earlier request",
            help: "the request before",
            change: { $0.recallRequest(-1) }
        ),
        KeyCommand(
            [.down],
            in: [.request],
            .request,
            help: "the one after",
            joinsPrevious: true,
            change: { $0.recallRequest(1) }
        ),
        KeyCommand(
            [.escape],
            in: [.request],
            .request,
            hint: "cancel",
            help: "cancel",
            change: { $0.back() }
        ),
    ]
}
