import Basics
import Model

extension DashboardState {
    mutating func openPrompt() {
        if case .faults(var choice)? = overlay?.content {
            choice.isFiltering = true
            overlay?.content = .faults(choice)
            return
        }
        guard PaneCatalogue.pane(focus) is any ListPane.Type else {
            notice = Notice("nothing to filter here: \(PaneCatalogue.logs) can be")
            return
        }
        prompt = FilterPrompt(pane: focus, text: lists[focus]?.filter.text ?? "")
    }

    /// Closes the prompt, unless there is a mistake in it.
    mutating func keepFilter() {
        if case .faults(var choice)? = overlay?.content {
            choice.isFiltering = false
            overlay?.content = .faults(choice)
        }
        guard let pane = prompt?.pane, let filter = lists[pane]?.filter else {
            prompt = nil
            return
        }
        guard filter.mistakes.isEmpty else {
            prompt?.isRefused = true
            return
        }
        if !filter.isEmpty { lists[pane]?.search = filter }
        prompt = nil
    }

    mutating func clearFilter() {
        edit(.eraseAll)
        keepFilter()
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
        case .panes, .waiting, .replay, .overlay, .choice, .faults, .experiments, .question,
            .authorization:
            notice = Notice("pasted text is not read as keys")
        }
    }

    /// Changes what is being written: the passphrase, the filter, or a form.
    mutating func edit(_ edit: FormEdit) {
        switch (mode, overlay?.content) {
        case (.locked, _): lock?.apply(edit)
        case (.prompt, .faults(var choice)):
            choice.filter.apply(edit)
            overlay = OpenOverlay(.faults(choice))
        case (.prompt, _): editFilter { $0.apply(edit) }
        case (_, .login(var form)):
            form.apply(edit)
            overlay?.content = .login(form)
        case (_, .request(var form)):
            form.apply(edit)
            overlay?.content = .request(form)
        default: break
        }
    }

    /// The list follows the filter as it is written.
    mutating func editFilter(_ body: (inout String) -> Void) {
        guard var prompt, let list = PaneCatalogue.pane(prompt.pane) as? any ListPane.Type else {
            return
        }
        body(&prompt.text)
        prompt.isRefused = false
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

/// Commands whose keys are named in texts.
extension KeyCommand {
    static let keepFilter = KeyCommand(
        keys: [.enter],
        modes: [.prompt],
        section: .filter,
        hint: "keep",
        help: "keep it",
        effect: .change { $0.keepFilter() }
    )

    static let clearFilter = KeyCommand(
        keys: [.escape],
        modes: [.prompt],
        section: .filter,
        hint: "clear",
        help: "clear it",
        effect: .change { $0.clearFilter() }
    )
}

extension KeyTable {
    /// Where letters are text.
    private static let text: Set<KeyMode> = [.prompt, .form, .request, .locked]

    static let filter: [KeyCommand] = [
        .keepFilter,
        .clearFilter,
        KeyCommand(
            keys: [.backspace, .delete],
            modes: text,
            section: .filter,
            help: "erase a character",
            effect: .change { $0.edit(.erase) }
        ),
        KeyCommand(
            keys: [.control("u")],
            modes: text,
            section: .filter,
            help: "erase all",
            effect: .change { $0.edit(.eraseAll) }
        ),
    ]
}
