import Basics
import Model

extension DashboardState {
    mutating func openPrompt() {
        if case .faults(var choice)? = overlay?.content {
            choice.isFiltering = true
            overlay?.content = .faults(choice)
            return
        }
        guard let list = PaneCatalogue.pane(focus) as? any ListPane.Type else {
            notice = Notice("nothing to filter here: \(PaneCatalogue.logs) can be")
            return
        }
        let text = lists[focus]?.filter.text ?? ""
        prompt = PanePrompt(pane: focus, filter: FilterPrompt(fields: list.fields, text: text))
    }

    /// Closes the prompt, unless there is a mistake in it.
    mutating func keepFilter() {
        if case .faults(var choice)? = overlay?.content {
            choice.isFiltering = false
            overlay?.content = .faults(choice)
        }
        overlay?.isSearching = false
        guard var closing = prompt else { return }
        guard closing.filter.close() else {
            prompt = closing
            return
        }
        let filter = closing.filter.filter
        if !filter.isEmpty { lists[closing.pane]?.search = filter }
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

    /// Pasted text goes where text is being written, and nowhere else.
    mutating func paste(_ text: String) {
        lastKeyAt = lastMoment?.now ?? lastKeyAt
        switch mode {
        case .prompt, .form, .request, .palette, .locked:
            for character in text.prefix(FormEdit.pasteLimit) { edit(.write(character)) }
        case .panes, .waiting, .replay, .overlay, .choice, .faults, .experiments, .question,
            .authorization:
            notice = Notice("pasted text is not read as keys")
        }
    }

    /// Changes what is being written: the passphrase, the filter, a form, or the palette.
    mutating func edit(_ edit: FormEdit) {
        switch (mode, overlay?.content) {
        case (.locked, _): lock?.apply(edit)
        case (.prompt, .faults(var choice)):
            choice.filter.apply(edit)
            overlay = OpenOverlay(.faults(choice))
        case (.prompt, nil): editFilter(edit)
        case (.prompt, _):
            overlay?.search.apply(edit)
            overlay?.scroll = 0
        case (_, .login(var form)):
            form.apply(edit)
            overlay?.content = .login(form)
        case (_, .request(var form)):
            form.apply(edit)
            overlay?.content = .request(form)
        case (_, .palette(var palette)):
            palette.apply(edit)
            overlay?.content = .palette(palette)
        default: break
        }
    }

    /// The list follows the filter as it is written.
    private mutating func editFilter(_ edit: FormEdit) {
        guard var prompt else { return }
        prompt.filter.apply(edit)
        self.prompt = prompt
        lists[prompt.pane, default: ListState()].filter = prompt.filter.filter
        lists[prompt.pane]?.position = .following
    }
}

/// The filter of a pane's list that is being written.
struct PanePrompt: Sendable, Equatable {
    let pane: PaneID
    var filter: FilterPrompt
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

    /// Where letters are text.
    private static let text: Set<KeyMode> = [.prompt, .form, .request, .palette, .locked]

    static let erase = KeyCommand(
        keys: [.backspace, .delete],
        modes: text,
        section: .filter,
        help: "erase a character",
        effect: .change { $0.edit(.erase) }
    )

    static let eraseAll = KeyCommand(
        keys: [.control("u")],
        modes: text,
        section: .filter,
        help: "erase all",
        effect: .change { $0.edit(.eraseAll) }
    )
}

extension KeyTable {
    static let filter: [KeyCommand] = [
        .keepFilter,
        .clearFilter,
        .erase,
        .eraseAll,
    ]
}
