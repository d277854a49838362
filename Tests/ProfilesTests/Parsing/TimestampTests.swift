import Testing

@testable import Profiles

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "the usual ways to write them are read",
        arguments: [
            ("2026-01-06T14:18:40", 1_767_709_120, nil),
            ("2026-01-06 14:18:40", 1_767_709_120, nil),
            ("2026-01-06T14:18:40.1234567", 1_767_709_120.1234567, nil),
            ("2026-01-06T14:18:40Z", 1_767_709_120, 0),
            ("2026-01-06t14:18:40z", 1_767_709_120, 0),
            ("2026-01-06T14:18:40UTC", 1_767_709_120, 0),
            ("2026-01-06T14:18:40,5+02:00", 1_767_709_120.5, 7200),
            ("2026-01-06T14:18:40-0330", 1_767_709_120, -12_600),
            ("2026-01-06T14:18:40+02", 1_767_709_120, 7200),
            ("2026-01-06T14:18Z", 1_767_709_080, 0),
            ("2024-02-29T00:00:00Z", 1_709_164_800, 0),
            ("1969-12-31T23:59:59Z", -1, 0),
            ("0001-01-01T00:00:00", -62_135_596_800, nil),
        ] as [(String, Double, Double?)]
    )
    func read(text: String, local: Double, offset: Double?) throws {
        let timestamp = try #require(Timestamp(parsing: text))
        #expect(timestamp.local == local)
        #expect(timestamp.zoneOffset == offset)
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "2026", "2026-01-06", "2026-1-6T14:18:40", "2026-01-06T14", "2026-02-29T00:00:00",
            "2026-01-06T25:00:00", "2026-01-06T14:18:40.", "2026-01-06T14:18:40 CET",
            "2026-01-06T14:18:40+", "2026-01-06T14:18:40+25:00", "2026-01-06T14:18:40Zx",
            "٢٠٢٦-01-06T14:18:40", "2026-01-06T14:18:40.\(String(repeating: "1", count: 100))",
        ]
    )
    func none(text: String) {
        #expect(Timestamp(parsing: text) == nil)
    }

    @Test("what is written is read again, to the second")
    func roundTrip() {
        for seconds in stride(from: -62_135_596_800.0, to: 253_402_300_799, by: 86_400 * 997 + 61) {
            let text = Timestamp.format(seconds, withZone: true)
            #expect(Timestamp(parsing: text)?.local == seconds)
        }
        #expect(Timestamp.format(1_767_709_120.9, withZone: false) == "2026-01-06T14:18:40")
    }
}
