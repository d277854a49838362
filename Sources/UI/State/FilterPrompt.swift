/// The filter that is being written.
struct FilterPrompt: Sendable, Equatable {
    /// The fields of the list.
    let fields: [FilterField]
    private(set) var text: String
    /// Whether Enter was pressed although there is a mistake.
    private(set) var isRefused = false

    init(fields: [FilterField], text: String) {
        self.fields = fields
        self.text = text
    }

    /// What is written so far.
    var filter: Filter { Filter(text, fields: fields) }

    mutating func apply(_ edit: FormEdit) {
        text.apply(edit)
        isRefused = false
    }

    /// Whether it can be closed; with a mistake in it, it says so and stays.
    mutating func close() -> Bool {
        isRefused = mistake != nil
        return !isRefused
    }

    /// The row that is being written, below what is wrong with it if Enter was pressed and there is
    /// no room beside it.
    func lines(columns: Int, keys: KeyMap) -> [Line] {
        let left = Line(" /", .key) + Line(text) + Line(" ", .selected)
        if let right = beside(keys).first(where: { $0.width + left.width + 1 <= columns }) {
            return [Line.spread(left, right, over: columns)]
        }
        let row = Line(" /", .key) + FormRow.end(of: text, room: columns - 3) + FormRow.cursor
        guard isRefused, let mistake else { return [row] }
        let refusal = Line(" ⚠ \(mistake.message)", .warning)
        return refusal.wrapped(to: columns, indent: 3).limited(to: Self.rowsOfMistake, columns) + [
            row
        ]
    }

    /// The description of a mistake may repeat a long text.
    private static let rowsOfMistake = 3

    private var mistake: Filter.Mistake? { filter.mistakes.first }

    /// The texts that fit at the right, the longest first: the mistake, or the fields and the keys.
    private func beside(_ keys: KeyMap) -> [Line] {
        if let mistake {
            let style: Style = isRefused ? .warning : .dim
            return [mistake.message, "expected \(mistake.field.expected)"].map {
                Line("\($0) ", style)
            }
        }
        let (keep, clear) = (keys.name(of: .keepFilter), keys.name(of: .clearFilter))
        let hints: Line = "  \(keep, .key) keep  \(clear, .key) clear "
        return [Line(FilterField.names(of: fields), .dim) + hints, hints]
    }
}
