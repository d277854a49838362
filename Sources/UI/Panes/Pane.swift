/// A part of the dashboard: from a view model and a size to lines of text.
package protocol Pane: Sendable {
    static var id: PaneID { get }
    static var title: String { get }
    static var extent: PaneExtent { get }
    /// What its symbols mean, for the help.
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

    /// What Enter opens: the entry of the list with this number, or what a pane without a list
    /// shows.
    static func detail(_ viewModel: ViewModel, of number: Int?) -> Document?

    /// Returns the entry of the list with this number as a text to paste, or `nil` if there is none.
    static func copy(_ viewModel: ViewModel, of number: Int) -> CopiedText?
}

extension Pane {
    package static var legend: [Line] { [] }

    package static var keys: [KeyCommand] { [] }

    package static func notes(_ viewModel: ViewModel, columns: Int) -> [Line] { [] }

    package static func cursor(_ viewModel: ViewModel, rows: Int) -> Int? { nil }

    package static func copy(_ viewModel: ViewModel, of number: Int) -> CopiedText? { nil }
}

/// How much room a pane wants, in rows of text without its border.
package struct PaneExtent: Sendable, Hashable {
    /// Whether it shares its rows with its neighbour where the screen is wide.
    package var isHalf: Bool
    /// The least number of rows.
    package var minimum: Int
    /// What it gets before others get more.
    package var comfortable: Int
    /// The largest number of rows, or `nil` to take the spare rows.
    package var maximum: Int?
    /// Whether it is shown only while it has the focus where there is no comfortable room for all.
    package var givesWay: Bool

    package init(
        isHalf: Bool,
        minimum: Int,
        comfortable: Int,
        maximum: Int?,
        givesWay: Bool = false
    ) {
        self.isHalf = isHalf
        self.minimum = minimum
        self.comfortable = comfortable
        self.maximum = maximum
        self.givesWay = givesWay
    }
}
