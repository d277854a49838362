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

/// Two palette numbers; `nil` is the terminal's own default.
package struct ColourPair: Sendable, Hashable {
    package var foreground: UInt8?
    package var background: UInt8?

    package init(foreground: UInt8? = nil, background: UInt8? = nil) {
        self.foreground = foreground
        self.background = background
    }
}

/// The colour pairs a terminal was taught so far: ncurses draws by their numbers.
package struct PairNumbers: Sendable {
    private let limit: Int32
    private var numbers: [ColourPair: Int32] = [ColourPair(): 0]

    /// - Parameter limit: How many pairs there may be, the default one (0) included.
    package init(limit: Int32) {
        self.limit = limit
    }

    /// The number of a pair, which `define` teaches the terminal at first use.
    ///
    /// - Returns: 0, the terminal's own colours, when it takes no more pairs.
    package mutating func number(
        of pair: ColourPair,
        define: (_ number: Int32, _ pair: ColourPair) -> Bool
    ) -> Int32 {
        if let number = numbers[pair] { return number }
        let number = Int32(numbers.count)
        guard number < limit, define(number, pair) else { return 0 }
        numbers[pair] = number
        return number
    }
}
