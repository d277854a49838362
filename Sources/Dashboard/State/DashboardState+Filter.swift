import Lifecycle
import Timekeeping

extension DashboardState {
    mutating func openPrompt() {
        guard PaneCatalogue.pane(focus) is any ListPane.Type else {
            notice = Notice("nothing to filter here: requests (3), feed (4) and history (6) can be")
            return
        }
        prompt = FilterPrompt(pane: focus, text: lists[focus]?.filter.text ?? "")
    }

    mutating func clearFilter() {
        editFilter { $0 = "" }
        prompt = nil
    }

    /// A key that means nothing else is a letter of what is being written.
    mutating func write(_ key: Key) {
        guard case .character(let character) = key else { return }
        edit(.write(character))
    }

    /// Longer pasted texts are cut, in characters.
    private static let pasteLimit = 4_096

    /// Pasted text goes where text is being written, and nowhere else.
    mutating func paste(_ text: String) {
        lastKeyAt = lastMoment?.now ?? lastKeyAt
        switch mode {
        case .prompt, .form, .request, .locked:
            for character in text.prefix(Self.pasteLimit) { edit(.write(character)) }
        case .panes, .replay, .box, .choice, .question:
            notice = Notice("pasted text is not read as keys")
        }
    }

    /// Changes what is being written: the passphrase, the filter, or a form.
    mutating func edit(_ edit: FormEdit) {
        switch (mode, box?.box) {
        case (.locked, _): lock?.apply(edit)
        case (.prompt, _): editFilter { $0.apply(edit) }
        case (_, .login(var form)):
            form.apply(edit)
            box?.box = .login(form)
        case (_, .request(var form)):
            form.apply(edit)
            box?.box = .request(form)
        default: break
        }
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

extension String {
    fileprivate mutating func apply(_ edit: FormEdit) {
        switch edit {
        case .move: break
        case .write(let character): append(character)
        case .erase: _ = popLast()
        case .eraseAll: self = ""
        }
    }
}
