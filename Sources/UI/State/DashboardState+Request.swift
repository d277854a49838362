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
            keys: [.enter],
            modes: [.request],
            section: .request,
            hint: "next, send",
            help: "next field; in the last one, send",
            effect: .run { $0.acceptRequest() }
        ),
        KeyCommand(
            keys: [.tab],
            modes: [.request],
            section: .request,
            hint: "next field",
            help: "next field",
            effect: .change { $0.edit(.move(1)) }
        ),
        KeyCommand(
            keys: [.shiftTab],
            modes: [.request],
            section: .request,
            help: "previous field",
            joinsPrevious: true,
            effect: .change { $0.edit(.move(-1)) }
        ),
        KeyCommand(
            keys: [.up],
            modes: [.request],
            section: .request,
            hint: "earlier request",
            help: "the request before",
            effect: .change { $0.recallRequest(-1) }
        ),
        KeyCommand(
            keys: [.down],
            modes: [.request],
            section: .request,
            help: "the one after",
            joinsPrevious: true,
            effect: .change { $0.recallRequest(1) }
        ),
        KeyCommand(
            keys: [.escape],
            modes: [.request],
            section: .request,
            hint: "cancel",
            help: "cancel",
            effect: .change { $0.back() }
        ),
    ]
}
