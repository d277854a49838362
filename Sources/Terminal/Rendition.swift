/// How a cell is drawn on this terminal: its appearance with the available colors.
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

    package var colors: ColorPair
    package var attributes: Attributes

    package init(colors: ColorPair = ColorPair(), attributes: Attributes = []) {
        self.colors = colors
        self.attributes = attributes
    }
}

/// Two palette numbers; `nil` is the terminal's default.
package struct ColorPair: Sendable, Hashable {
    package var foreground: UInt8?
    package var background: UInt8?

    package init(foreground: UInt8? = nil, background: UInt8? = nil) {
        self.foreground = foreground
        self.background = background
    }
}

/// The numbers of the color pairs that are defined so far, by which ncurses refers to them.
package struct PairNumbers: Sendable {
    private let limit: Int32
    private var numbers: [ColorPair: Int32] = [ColorPair(): 0]

    /// - Parameter limit: The maximum number of pairs, including the default one (0).
    package init(limit: Int32) {
        self.limit = limit
    }

    /// Returns the number of a pair, after calling `define` if it is new.
    ///
    /// - Returns: The number, or 0, which is the default pair, if no more pairs can be defined.
    package mutating func number(
        of pair: ColorPair,
        define: (_ number: Int32, _ pair: ColorPair) -> Bool
    ) -> Int32 {
        if let number = numbers[pair] { return number }
        let number = Int32(numbers.count)
        guard number < limit, define(number, pair) else { return 0 }
        numbers[pair] = number
        return number
    }
}
