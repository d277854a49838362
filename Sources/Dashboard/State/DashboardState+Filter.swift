import Lifecycle

extension DashboardState {
    mutating func openPrompt() {
        guard PaneCatalogue.pane(focus) is any ListPane.Type else {
            notice = Notice("nothing to filter here: requests (3) and feed (4) can be")
            return
        }
        prompt = FilterPrompt(pane: focus, text: lists[focus]?.filter.text ?? "")
    }

    mutating func clearFilter() {
        editFilter { $0 = "" }
        prompt = nil
    }

    /// A key that means nothing else is a letter of the filter, or of a form.
    mutating func write(_ key: Key) {
        guard case .character(let character) = key else { return }
        editForm { $0.write(character) }
        editFilter { $0.append(character) }
    }

    /// The list follows the filter as it is written.
    mutating func editFilter(_ body: (inout String) -> Void) {
        guard var prompt, let list = PaneCatalogue.pane(prompt.pane) as? any ListPane.Type else {
            return
        }
        body(&prompt.text)
        self.prompt = prompt
        lists[prompt.pane, default: ListState()].filter = list.filter(prompt.text)
        lists[prompt.pane]?.position = .following
    }
}
