/// The appearance of a cell on this terminal, with the available colors.
struct Rendition: Sendable, Hashable {
    struct Attributes: OptionSet, Sendable, Hashable {
        let rawValue: UInt32

        static let bold = Attributes(rawValue: 1)
        static let dim = Attributes(rawValue: 2)
        static let reversed = Attributes(rawValue: 4)
        static let underlined = Attributes(rawValue: 8)
    }

    var colors: ColorPair = ColorPair()
    var attributes: Attributes = []
}

/// Two colors as numbers of the terminal; `nil` is its default.
struct ColorPair: Sendable, Hashable {
    var foreground: Int32?
    var background: Int32?
}

/// The numbers of the color pairs that are defined so far, by which ncurses refers to them.
struct PairNumbers: Sendable {
    private let limit: Int32
    private var numbers: [ColorPair: Int32] = [ColorPair(): 0]

    /// - Parameter limit: The maximum number of pairs, including the default one (0).
    init(limit: Int32) {
        self.limit = limit
    }

    /// Returns the number of a pair, after calling `define` if it is new.
    ///
    /// - Returns: The number, or 0, which is the default pair, if no more pairs can be defined.
    mutating func number(
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
