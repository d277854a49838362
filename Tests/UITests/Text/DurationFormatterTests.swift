import Testing

@testable import UI

@Suite("Text: durations")
struct DurationFormatterTests {
    @Test(
        "two units at most, cut and not rounded",
        arguments: [
            (0, "0 s"), (0.99, "0 s"), (12, "12 s"), (59.999, "59 s"), (60, "1 m"),
            (213, "3 m 33 s"), (300, "5 m"), (3_599, "59 m 59 s"), (3_600, "1 h"),
            (84_660, "23 h 31 m"), (86_400, "1 d"), (2_520_000, "29 d 04 h"),
            (2_592_000, "30 d"), (-5, "0 s"), (.nan, "0 s"), (.infinity, "0 s"),
        ] as [(Double, String)]
    )
    func long(seconds: Double, message: String) {
        #expect(DurationFormatter.long(seconds) == message)
    }

    @Test(
        "a countdown keeps its columns",
        arguments: [
            (9, "       9 s"), (12, "      12 s"), (189, "  3 m 09 s"), (213, "  3 m 33 s"),
            (300, "  5 m 00 s"), (3_600, "  1 h 00 m"), (3_599, " 59 m 59 s"),
            (2_520_000, " 29 d 04 h"),
        ] as [(Double, String)]
    )
    func steady(seconds: Double, message: String) {
        #expect(DurationFormatter.steady(seconds) == message)
    }

    @Test(
        "every countdown is of one width",
        arguments: [0.0, 9, 10, 59, 60, 599, 3_600, 2_591_999]
    )
    func steadyWidth(seconds: Double) {
        #expect(DurationFormatter.steady(seconds).count == DurationFormatter.steadyWidth)
    }

    @Test(
        "what counts keeps its second unit",
        arguments: [
            (0, "0 s"), (8, "8 s"), (120, "2 m 00 s"), (131, "2 m 11 s"), (3_731, "1 h 02 m"),
            (2_520_000, "29 d 04 h"), (2_592_000, "30 d 00 h"), (863_999_999, "9999 d 23 h"),
            (2_274_933_600, "26330 d"),
        ] as [(Double, String)]
    )
    func counting(seconds: Double, message: String) {
        #expect(DurationFormatter.counting(seconds) == message)
    }

    @Test(
        "what an exchange took",
        arguments: [
            (0, "0 ms"), (0.00001, "<0.1 ms"), (0.0004, "0.4 ms"), (0.00096, "1 ms"),
            (0.009, "9 ms"),
            (0.9994, "999 ms"), (0.9996, "1.00 s"), (1.204, "1.20 s"), (125, "2 m 05 s"),
        ] as [(Double, String)]
    )
    func fine(seconds: Double, message: String) {
        #expect(DurationFormatter.fine(seconds) == message)
    }

    @Test(
        "milliseconds of a table",
        arguments: [(0, "0"), (0.0002, "<1"), (0.004, "4"), (20, "20000")] as [(Double, String)]
    )
    func milliseconds(seconds: Double, message: String) {
        #expect(DurationFormatter.milliseconds(seconds) == message)
    }

    @Test(
        "with a sign",
        arguments: [
            (0.2, "+0.2 s"), (-0.2, "−0.2 s"), (0, "+0.0 s"), (-0.01, "+0.0 s"),
            (1_799.6, "+30 m"),
            (-3_600, "−1 h"), (59.96, "+60.0 s"),
        ] as [(Double, String)]
    )
    func signed(seconds: Double, message: String) {
        #expect(DurationFormatter.signed(seconds) == message)
    }
}
