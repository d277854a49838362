import Basics
import Client
import FoundationEssentials
import Testing

@testable import Model

@Suite("Metrics as text")
struct MetricsTextTests {
    private static func text(
        _ format: MetricsFormat,
        profile: String = "melchat"
    ) -> String {
        var account = Account(session: SessionID("1"), profile: profile)
        account.logIn(life: 20)
        account.add(SkewChanged(ServerOffset(low: -0.5, likelyHigh: 0.5)))
        var book = MetricsBook()
        for event in account.events { book.apply(event) }
        let reading = book.reading(version: "1.2.3", at: account.now)
        return String(decoding: MetricsText.bytes(of: reading, as: format), as: UTF8.self)
    }

    @Test("in Prometheus' format, a counter is named as its samples are")
    func prometheus() {
        let text = Self.text(.prometheus)
        #expect(
            text.contains(
                """
                # TYPE authtop_without_token_seconds_total counter
                # HELP authtop_without_token_seconds_total The time without
                """
            )
        )
        #expect(text.contains("# TYPE authtop_build_info gauge\n"))
        #expect(text.contains("authtop_build_info{version=\"1.2.3\"} 1\n"))
        #expect(!text.contains("# UNIT") && !text.contains("# EOF"))
    }

    @Test("in OpenMetrics, a family is named without its suffix, with its unit, and an end")
    func openMetrics() {
        let text = Self.text(.openMetrics)
        #expect(
            text.contains(
                """
                # TYPE authtop_without_token_seconds counter
                # UNIT authtop_without_token_seconds seconds
                # HELP authtop_without_token_seconds The time without
                """
            )
        )
        #expect(text.contains("# TYPE authtop_build info\n"))
        #expect(text.contains(#"authtop_clock_offset_seconds{profile="melchat",bound="low"} -0.5"#))
        #expect(text.hasSuffix("# EOF\n"))
    }

    @Test("a name of a profile is escaped, and cut where it is too long")
    func escaped() {
        let text = Self.text(.prometheus, profile: "a\"b\\c\nd")
        #expect(text.contains(#"authtop_feed_messages_lost_total{profile="a\"b\\c\nd"} 0"#))
        let long = Self.text(.prometheus, profile: String(repeating: "ä", count: 100))
        let value = long.firstMatch(of: /lost_total\{profile="([^"]*)"\}/).map { String($0.1) }
        #expect(value == String(repeating: "ä", count: 64))
    }

    @Test(
        "the format is the one that a request prefers",
        arguments: [
            (nil, MetricsFormat.prometheus), ("*/*", .prometheus), ("text/html", .prometheus),
            ("application/openmetrics-text", .openMetrics),
            (
                "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
                    + "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
                .openMetrics
            ),
            ("application/openmetrics-text; version=2.0.0, text/plain;q=0.5", .prometheus),
            ("application/openmetrics-text;q=0, */*", .prometheus),
            ("text/plain, application/openmetrics-text;q=0.5", .prometheus),
            ("Application/OpenMetrics-Text ; Q=0.9, text/plain;q=0.5", .openMetrics),
            ("application/openmetrics-text;q=nonsense", .prometheus),
        ]
    )
    func accepted(accept: String?, expected: MetricsFormat) {
        #expect(MetricsFormat(accepting: accept) == expected)
    }

    @Test("each metric has a name of its own, that ends with its unit, and a sentence")
    func catalogue() {
        let names = Metric.all.map(\.name)
        #expect(Set(names).count == names.count)
        for metric in Metric.all {
            #expect(metric.name.wholeMatch(of: /authtop_[a-z_]+/) != nil)
            #expect(metric.unit.map { metric.name.hasSuffix("_\($0.rawValue)") } ?? true)
            #expect(metric.summary.hasSuffix(".") && !metric.summary.contains("\n"))
            let labels = Set([
                "profile", "state", "source", "bound", "trigger", "outcome", "reason", "rule",
                "severity", "confidence", "version",
            ])
            #expect(labels.isSuperset(of: metric.labels), "\(metric.name)")
        }
    }

    @Test("the page about monitoring lists exactly the metrics that there are")
    func page() throws {
        let top = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/\(top)/Sources/authtop/authtop.docc/Monitoring.md"
        let data = try #require(FileManager.default.contents(atPath: path))
        let rows = String(decoding: data, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("| `authtop_") }.map(String.init)
        let expected = Metric.all.map { metric in
            let labels = metric.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(metric.sampleName)` | \(metric.kind.rawValue) "
                + "| \(labels.isEmpty ? "–" : labels) | \(metric.summary) |"
        }
        #expect(rows == expected, "\(expected.joined(separator: "\n"))")
    }

    @Test("ten thousand sessions of a hundred profiles are read at once", .timeLimit(.minutes(5)))
    func large() {
        var book = MetricsBook()
        for number in 0..<10_000 {
            var account = Account(session: SessionID("s\(number)"), profile: "p\(number % 100)")
            account.logIn(life: 20)
            for event in account.events { book.apply(event) }
        }
        let reading = book.reading(version: "1", at: Account().now)
        let text = MetricsText.bytes(of: reading, as: .openMetrics)
        #expect(text.count < 4 << 20)
        #expect(reading.families.allSatisfy { $0.points.count <= 100 * 20 })
    }
}
