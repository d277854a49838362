/// How a cell is drawn on this terminal: an appearance with the colours that it has.
package struct Rendition: Sendable, Hashable {
    package struct Attributes: OptionSet, Sendable, Hashable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        package static let bold = Attributes(rawValue: 1)
        package static let dim = Attributes(rawValue: 2)
        package static let reversed = Attributes(rawValue: 4)
        package static let underlined = Attributes(rawValue: 8)
    }

    package var colours: ColourPair
    package var attributes: Attributes

    package init(colours: ColourPair = ColourPair(), attributes: Attributes = []) {
        self.colours = colours
        self.attributes = attributes
    }
}
