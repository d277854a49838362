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
