/// A part of the dashboard: from a view model and a size to lines of text.
protocol Pane: Sendable {
    static var id: PaneID { get }
    static var title: String { get }
    static var extent: PaneExtent { get }
    /// The room that it wants with what it shows now.
    static func extent(_ viewModel: ViewModel) -> PaneExtent
    /// Whether it has nothing to show but one line that says so.
    static func isEmpty(_ viewModel: ViewModel) -> Bool
    /// The meaning of its symbols, for the help.
    static var legend: [Line] { get }
    /// Its own keys, beside those of all lists.
    static var keys: [KeyCommand] { get }

    /// Returns variants of the text at the right of its upper border, which has `columns` columns,
    /// the longest first.
    static func notes(_ viewModel: ViewModel, columns: Int) -> [Line]

    /// At most `rows` lines of at most `columns`; what is longer is cut.
    static func lines(_ viewModel: ViewModel, columns: Int, rows: Int) -> [Line]

    /// The line under the cursor, counted from 0, or `nil` if there is none.
    static func cursor(_ viewModel: ViewModel, rows: Int) -> Int?

    /// The detail that Enter opens: the entry of the list with this number, or the content of a
    /// pane without a list.
    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document?

    /// Returns the entry of the list with this number as a text to paste, or `nil` if there is none.
    static func copy(_ viewModel: ViewModel, of number: Int) -> CopiedText?
}

extension Pane {
    /// What is empty leaves its rows to the others.
    static func extent(_ viewModel: ViewModel) -> PaneExtent {
        var extent = extent
        if isEmpty(viewModel) {
            (extent.minimum, extent.comfortable, extent.maximum) = (1, 1, 1)
        }
        return extent
    }

    static func isEmpty(_ viewModel: ViewModel) -> Bool { false }

    static var legend: [Line] { [] }

    static var keys: [KeyCommand] { [] }

    static func notes(_ viewModel: ViewModel, columns: Int) -> [Line] { [] }

    static func cursor(_ viewModel: ViewModel, rows: Int) -> Int? { nil }

    static func copy(_ viewModel: ViewModel, of number: Int) -> CopiedText? { nil }
}

/// The room that a pane wants, in rows of text without its border.
struct PaneExtent: Sendable, Hashable {
    /// Whether it shares its rows with its neighbor where the screen is wide.
    var isHalf: Bool
    /// The least number of rows.
    var minimum: Int
    /// The rows that it gets before others get more.
    var comfortable: Int
    /// The largest number of rows, or `nil` to take the spare rows.
    var maximum: Int?
    /// Whether it is shown only while it has the focus where there is no comfortable room for all.
    var givesWay: Bool = false
}

/// The number of a pane, which is also its key.
struct PaneID: RawRepresentable, Sendable, Hashable, Comparable {
    let rawValue: Int

    static func < (left: PaneID, right: PaneID) -> Bool {
        left.rawValue < right.rawValue
    }
}
