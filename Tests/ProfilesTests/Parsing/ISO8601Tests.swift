import Basics
import Foundation
import Testing

@testable import Profiles

@Suite("ISO 8601")
struct ISO8601Tests {
    @Test(
        "a time is written in UTC, with its milliseconds cut off",
        arguments: [
            (0.0, "1970-01-01T00:00:00.000Z"),
            (951_782_400.5, "2000-02-29T00:00:00.500Z"),
            (1_796_079_845.6785, "2026-11-30T23:04:05.678Z"),
            (-0.25, "1969-12-31T23:59:59.750Z"),
            (1e18, "9999-12-31T23:59:59.000Z"),
            (.infinity, "1970-01-01T00:00:00.000Z"),
        ]
    )
    func written(seconds: Double, text: String) {
        #expect(Date(timeIntervalSince1970: seconds).iso8601 == text)
    }

    @Test("it is the text of Foundation's format")
    func same() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        var random = SeededGenerator(seed: 8601)
        for _ in 0..<2_000 {
            let seconds = Double.random(in: -5e9...2e10, using: &random)
            for date in [seconds, (seconds * 1_000).rounded() / 1_000]
                .map(Date.init(timeIntervalSince1970:))
            {
                #expect(date.iso8601 == date.formatted(style))
            }
        }
    }
}
