import Foundation
import Testing

@testable import Profiles

@Suite("Dates in headers")
struct DateFormTests {
    @Test(
        "the three forms of RFC 9110 are read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Tue, 06-Jan-69 00:00:00 GMT", 3_124_656_000),
            ("Tue, 06-Jan-70 00:00:00 GMT", 432_000),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ] as [(String, Double)]
    )
    func forms(text: String, seconds: Double) {
        #expect(HTTPDate.parse(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "anything else is no date",
        arguments: [
            "", "now", "0", "2026-01-06T14:18:40Z", "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, six Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
            String(repeating: "Sun, ", count: 100_000),
        ]
    )
    func noDates(text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test("what is written is read again, to the second")
    func roundTrip() {
        for seconds in stride(from: 0.0, to: 4_102_444_800, by: 86_400 * 13 + 3661) {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(HTTPDate.parse(HTTPDate.format(date)) == date)
        }
        #expect(
            HTTPDate.format(Date(timeIntervalSince1970: 784_111_777.9))
                == "Sun, 06 Nov 1994 08:49:37 GMT"
        )
    }

    @Test(
        "Retry-After is seconds or a date",
        arguments: [
            ("120", .seconds(120)), (" 0 ", .seconds(0)),
            ("99999999999999999999999999", .seconds(31_536_000)),
            (
                "Sun, 06 Nov 1994 08:49:37 GMT",
                .date(Date(timeIntervalSince1970: 784_111_777))
            ),
            ("-5", nil), ("1.5", nil), ("soon", nil), ("", nil), ("١٢", nil),
        ] as [(String, RetryAfter?)]
    )
    func retryAfter(text: String, expected: RetryAfter?) {
        #expect(RetryAfter(parsing: text) == expected)
    }

    @Test("a wait until a date is one by the server's clock, if it states that")
    func wait() {
        let local = Date(timeIntervalSince1970: 784_111_000)
        let date = WireHeader("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")
        let clock = WireHeader("Date", "Sun, 06 Nov 1994 08:49:30 GMT")
        func seconds(_ headers: [WireHeader]) -> Double? {
            WireResponse(status: 429, headers: headers).secondsToWait(receivedAt: local)
        }
        #expect(seconds([date, clock]) == 7)
        #expect(seconds([date]) == 777)
        #expect(seconds([WireHeader("Retry-After", "5"), clock]) == 5)
        #expect(seconds([clock]) == nil)
    }
}
