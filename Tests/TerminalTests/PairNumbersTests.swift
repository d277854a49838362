import Testing

@testable import Terminal

@Suite("Color pairs on demand")
struct PairNumbersTests {
    private let red = ColorPair(foreground: 1)
    private let blue = ColorPair(foreground: 4, background: 0)

    @Test("a pair is defined once, at first use")
    func once() {
        var pairs = PairNumbers(limit: 8)
        var defined: [Int32] = []
        let numbers = [red, blue, red].map { pair in
            pairs.number(of: pair) { number, _ in
                defined.append(number)
                return true
            }
        }
        #expect(numbers == [1, 2, 1])
        #expect(defined == [1, 2])
    }

    @Test("the terminal's own colors are pair 0 and need no definition")
    func defaults() {
        var pairs = PairNumbers(limit: 0)
        #expect(pairs.number(of: ColorPair()) { _, _ in false } == 0)
    }

    @Test("a terminal that takes no more pairs shows its own colors")
    func full() {
        var pairs = PairNumbers(limit: 2)
        #expect(pairs.number(of: red) { _, _ in true } == 1)
        #expect(pairs.number(of: blue) { _, _ in true } == 0)
    }

    @Test("a pair the terminal refused is offered again")
    func refused() {
        var pairs = PairNumbers(limit: 8)
        #expect(pairs.number(of: red) { _, _ in false } == 0)
        #expect(pairs.number(of: red) { _, _ in true } == 1)
    }
}
