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

    @Test(
        "pass the check of Prometheus",
        .enabled("prometheus is not installed") {
            FileManager.default.isExecutableFile(atPath: promtool)
        }
    )
    func checked() async throws {
        try await Program.run(Self.promtool, ["check", "config", "\(Self.folder)/prometheus.yml"])
        try await withBench { bench in
            let series = "authtop_session_up{profile=\"acme\",instance=\"a\"}"
            let path = try bench.write(
                """
                rule_files: ["\(Self.folder)/alerts.yml"]
                evaluation_interval: 1m
                tests:
                  - interval: 1m
                    input_series: [{series: '\(series)', values: '1x5 0x20'}]
                    alert_rule_test:
                      - {eval_time: 5m, alertname: SessionDown, exp_alerts: []}
                      - eval_time: 15m
                        alertname: SessionDown
                        exp_alerts:
                          - exp_labels: {severity: critical, profile: acme, instance: a}
                            exp_annotations:
                              summary: "acme: a session has no access token that may be used"
                              description: "GET /readyz says why."
                """,
                to: "alerts-test.yml"
            )
            try await Program.run(Self.promtool, ["test", "rules", path])
        }
    }
}
