import Foundation
import Model
import TestSupport
import Testing

@Suite("The examples for monitoring", .programs)
struct MonitoringFilesTests {
    private static let promtool = "/usr/bin/promtool"
    private static let folder =
        "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        + "/assets/monitoring"

    private static func text(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    @Test(
        "name no metric that there is not, and no other label",
        arguments: ["alerts.yml", "grafana.json"]
    )
    func names(file: String) throws {
        let text = try Self.text(file)
        let known = Set(
            Metric.all.flatMap { metric in
                metric.kind == .histogram ? ["\(metric.name)_bucket"] : [metric.sampleName]
            }
        )
        let names = Set(text.matches(of: /authtop_[a-z_]+/).map { String($0.output) })
        #expect(!names.isEmpty && names.isSubset(of: known), "\(names.subtracting(known))")
        let labels = Set(Metric.all.flatMap(\.labels)).union(["instance", "le", "job"])
        let used = text.matches(of: /\{\{ ?(?:\$labels\.)?([a-z_]+) ?\}\}/).map { String($0.1) }
        #expect(!used.isEmpty && Set(used).isSubset(of: labels), "\(used)")
    }

    @Test("each file is on the page about monitoring, and the dashboard is JSON")
    func files() throws {
        let page = try DocumentationPage("Monitoring").members(under: "Examples")
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(Set(files).isSubset(of: page))
        let data = Data(try Self.text("grafana.json").utf8)
        #expect(try JSONSerialization.jsonObject(with: data) is [String: Any])
    }

    /// When an alert fires by what is scraped every five seconds.
    struct Alert: Sendable, CustomTestStringConvertible {
        let name: String
        /// The labels of each series besides the profile, and its values in promtool's notation.
        let series: [String: String]
        var firing: [String] = []
        var silent: [String] = []

        var testDescription: String { name }

        /// The test in promtool's notation.
        var test: String {
            let input = series.map { series, values in
                let series = series.replacing("{", with: #"{profile="acme",instance="a","#)
                return "      - {series: '\(series)', values: '\(values)'}"
            }
            let firing = firing.map { ($0, "[{labels: '{}', value: 1}]") }
            let expected = firing + silent.map { ($0, "[]") }
            let checks = expected.map { time, samples in
                """
                      - expr: count(ALERTS{alertname="\(name)",alertstate="firing"})
                        eval_time: \(time)
                        exp_samples: \(samples)
                """
            }
            return
                (["  - interval: 5s", "    input_series:"] + input
                + ["    promql_expr_test:"] + checks).joined(separator: "\n")
        }
    }

    private static let alerts = [
        Alert(
            name: "SessionDown",
            series: ["authtop_session_up{}": "1x5 0x11 1x20"],
            firing: ["55s", "85s"],
            silent: ["25s", "40s", "95s"]
        ),
        // The last renewal has failed from 25 s on, until one succeeds at 65 s.
        Alert(
            name: "RenewalsFail",
            series: [
                #"authtop_sessions{state="fresh"}"#: "3x4 2x7 3x20",
                #"authtop_sessions{state="retrying"}"#: "_x5 1x7 stale",
            ],
            firing: ["45s", "60s"],
            silent: ["20s", "35s", "65s", "150s"]
        ),
        // The next try succeeds.
        Alert(
            name: "RenewalsFail",
            series: [#"authtop_sessions{state="unknown"}"#: "_x5 1x1 stale _x5 1x1 stale"],
            silent: ["30s", "35s", "40s", "60s", "65s", "80s"]
        ),
        Alert(
            name: "RenewalsFail",
            series: [#"authtop_sessions{state="expired"}"#: "_x5 1x30"],
            firing: ["60s", "150s"],
            silent: ["25s"]
        ),
        Alert(
            name: "AppRenewalsFail",
            series: [
                #"authtop_renewals_total{trigger="app",outcome="refused"}"#: "0x5 1 2 3 4 5x120"
            ],
            firing: ["60s", "240s"],
            silent: ["25s", "400s"]
        ),
    ]

    @Test(
        "an alert fires within half a minute, and clears once what it says is over",
        .enabled("prometheus is not installed") {
            FileManager.default.isExecutableFile(atPath: promtool)
        },
        arguments: alerts
    )
    func fires(alert: Alert) async throws {
        try await withBench { bench in
            let rules = "rule_files: [\"\(Self.folder)/alerts.yml\"]\nevaluation_interval: 5s\n"
            let path = try bench.write(rules + "tests:\n\(alert.test)\n", to: "alerts-test.yml")
            try await Program.run(Self.promtool, ["test", "rules", path])
        }
    }

    @Test(
        "pass the check of Prometheus",
        .enabled("prometheus is not installed") {
            FileManager.default.isExecutableFile(atPath: promtool)
        }
    )
    func checked() async throws {
        try await Program.run(Self.promtool, ["check", "config", "\(Self.folder)/prometheus.yml"])
    }
}
