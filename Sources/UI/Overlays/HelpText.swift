import Basics
import Model

/// The help, made from the states, the panes and the key table: what the screen shows comes first.
enum HelpText {
    static let keysWidth = 17

    static func document(_ viewModel: ViewModel) -> Document {
        var keys = Document(title: "Help")
        keys.indent = keysWidth
        keys.addHeading("Symbols")
        for symbols in StateSymbol.legend { keys.add(symbols) }
        for pane in panes(viewModel) { pane.legend.forEach { keys.add($0) } }
        for section in [KeyCommand.Section.session, .panes, .lists, .lifeline, .program] {
            add(section, viewModel, to: &keys)
        }
        var others = Document(title: "")
        add(.filter, viewModel, to: &others)
        addFilter(viewModel, to: &others)
        add(.form, viewModel, to: &others)
        add(.authorization, viewModel, to: &others)
        add(.request, viewModel, to: &others)
        add(.sessions, viewModel, to: &others)
        add(.faults, viewModel, to: &others)
        add(.experiments, viewModel, to: &others)
        add(.several, viewModel, to: &others)
        add(.replay, viewModel, to: &others)
        add(.waiting, viewModel, to: &others)
        add(.palette, viewModel, to: &others)
        add(.answers, viewModel, to: &others)
        add(.locked, viewModel, to: &others)
        others.addHeading("Words")
        for term in GlossaryTerm.all {
            others.add(Line(term.name, .identity).fitted(to: keysWidth) + Line(term.meaning))
        }
        keys.aside = others.lines
        return keys
    }

    private static func add(
        _ section: KeyCommand.Section,
        _ viewModel: ViewModel,
        to document: inout Document
    ) {
        document.addHeading(section.rawValue)
        for commands in KeyTable.commands.filter({ $0.section == section }).lines {
            document.add(line(commands, viewModel))
        }
    }

    private static func line(_ commands: [KeyCommand], _ viewModel: ViewModel) -> Line {
        let context = viewModel.keyContext
        let words = commands.map { $0.help(in: context) }
        guard commands[0].obstacle(in: context) != nil else {
            return line(commands, words, viewModel.keys)
        }
        let isForbidden = viewModel.isReadOnly && commands[0].isByHand
        return line(commands, words, viewModel.keys, not: isForbidden ? "read-only" : "not now")
    }

    /// The keys and the words of commands that share a line, with why they have no effect.
    static func line(
        _ commands: [some ListedCommand],
        _ words: [String],
        _ keyMap: KeyMap,
        not obstacle: String? = nil
    ) -> Line {
        let names = commands.map { KeyText.names(keyMap.keys(of: $0)) }.joined(separator: ", ")
        let keys = Line(names, .key).fitted(to: max(keysWidth, names.count + 1))
        let help = words.joined(separator: ", ")
        return keys + (obstacle.map { Line("\(help) · \($0)", .dim) } ?? Line(help))
    }

    private static func panes(_ viewModel: ViewModel) -> [any Pane.Type] {
        PaneCatalogue.panes(
            isObserved: viewModel.isObserved,
            hasSeveralSessions: !viewModel.sessions.isEmpty
        )
    }

    private static func addFilter(_ viewModel: ViewModel, to document: inout Document) {
        let lists = panes(viewModel).compactMap { $0 as? any ListPane.Type }
        addFilter(lists.map { ($0.title, $0.fields) }, to: &document)
    }

    /// Adds the form of a filter, and the fields of the lists that have one.
    static func addFilter(
        _ lists: [(title: String, fields: [FilterField])],
        to document: inout Document
    ) {
        document.add("words that must be there, \("!", .key)word for what must not")
        document.add("\("a|b", .key) for one of two values, \("a | b", .key) of two filters")
        for list in lists {
            let fields = FilterField.names(of: list.fields)
            document.add(Line(list.title).fitted(to: keysWidth) + Line(fields, .key))
        }
        var shown: [FilterField] = []
        for field in lists.flatMap(\.fields) where field.kind != .text {
            if !shown.contains(field) { shown.append(field) }
        }
        while let first = shown.first {
            let alike = shown.filter { $0.kind == first.kind }
            shown.removeAll { $0.kind == first.kind }
            let names = FilterField.names(of: alike)
            let keys = Line(names, .key).fitted(to: max(keysWidth, names.count + 1))
            document.add(keys + Line(first.expected))
        }
    }
}
