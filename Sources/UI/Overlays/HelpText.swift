import Basics
import Model

/// The help, made from the key table, the states and the panes.
enum HelpText {
    private static let keysWidth = 17

    static func document(_ viewModel: ViewModel) -> Document {
        var keys = Document(title: "Help")
        keys.indent = keysWidth
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
        add(.answers, viewModel, to: &others)
        add(.locked, viewModel, to: &others)
        others.addHeading("Words")
        for term in GlossaryTerm.all {
            others.add(Line(term.name, .identity).fitted(to: keysWidth) + Line(term.meaning))
        }
        others.addHeading("Symbols")
        for symbols in StateSymbol.legend { others.add(symbols) }
        for pane in panes(viewModel) { pane.legend.forEach { others.add($0) } }
        keys.aside = others.lines
        return keys
    }

    private static func add(
        _ section: KeyCommand.Section,
        _ viewModel: ViewModel,
        to document: inout Document
    ) {
        document.addHeading(section.rawValue)
        var commands = KeyTable.commands.filter { $0.section == section }[...]
        while let first = commands.popFirst() {
            let joined = commands.prefix { $0.joinsPrevious }
            commands = commands.dropFirst(joined.count)
            document.add(line([first] + joined, viewModel))
        }
    }

    private static func line(_ commands: [KeyCommand], _ viewModel: ViewModel) -> Line {
        let names = commands.map { KeyText.names(viewModel.keys.keys(of: $0)) }
            .joined(separator: ", ")
        let keys = Line(names, .key).fitted(to: max(keysWidth, names.count + 1))
        let help = commands.map(\.help).joined(separator: ", ")
        guard commands[0].obstacle(in: viewModel.keyContext) != nil else {
            return keys + Line(help)
        }
        let isForbidden = viewModel.isReadOnly && commands[0].isByHand
        return keys + Line("\(help) · \(isForbidden ? "read-only" : "not now")", .dim)
    }

    private static func panes(_ viewModel: ViewModel) -> [any Pane.Type] {
        PaneCatalogue.panes(
            isObserved: viewModel.isObserved,
            hasSeveralSessions: !viewModel.sessions.isEmpty
        )
    }

    private static func addFilter(_ viewModel: ViewModel, to document: inout Document) {
        document.add("words that must be there, \("!", .key)word for what must not")
        document.add("\("a|b", .key) for one of two values, \("a | b", .key) of two filters")
        for pane in panes(viewModel) {
            guard let list = pane as? any ListPane.Type else { continue }
            let fields = FilterField.names(of: list.fields)
            document.add(Line(list.title).fitted(to: keysWidth) + Line(fields, .key))
        }
        let lists = panes(viewModel).compactMap { $0 as? any ListPane.Type }
        var shown: [FilterField] = []
        for field in lists.flatMap({ $0.fields }) where field.kind != .text {
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
