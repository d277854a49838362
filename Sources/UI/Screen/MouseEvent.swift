/// A click of the first button or a turn of the wheel, at a cell counted from 0.
package struct MouseEvent: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case click
        case wheelUp
        case wheelDown
    }

    let kind: Kind
    let column: Int
    let row: Int

    package init(_ kind: Kind, column: Int, row: Int) {
        self.kind = kind
        self.column = column
        self.row = row
    }
}
