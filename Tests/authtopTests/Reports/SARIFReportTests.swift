import Basics
import FoundationEssentials
import Model
import Observer
import Testing

@testable import authtop

@Suite("The report as SARIF")
struct SARIFReportTests {
    private static func finding(
        _ number: Int = 1,
        rule: String = "race",
        severity: ObservedFinding.Severity = .bug,
        confidence: ObservedFinding.Confidence = .certain,
        path: String? = "/users/:id/refresh",
        experiment: String? = nil
    ) -> ObservedFinding {
        let moment = Moment(
            now: .origin,
            wall: Date(timeIntervalSince1970: 1_700_000_000)
        )
        return ObservedFinding(
            number: number,
            rule: rule,
            severity: severity,
            confidence: confidence,
            evidence: [
                FindingEvidence(.exchange(31), "first refresh, answered 200"),
                FindingEvidence(.token(fingerprint), "the refresh token"),
            ],
            message: "#31 and #32 renew at once",
            remedy: "One refresh at a time",
            path: path,
            firstAt: moment,
            lastAt: moment,
            experiment: experiment,
            mark: "keeps me logged in"
        )
    }

    private static let fingerprint = Fingerprinter(salt: Array(repeating: 1, count: 16))
        .fingerprint(of: Secret("s3cr3t"))

    private static func log(_ report: FindingsReport) throws -> JSONValue {
        let text = SARIFReport(report: report).document.text
        return try #require(JSONValue(parsing: Array(text.utf8)))
    }

    private static func first(_ value: JSONValue?) -> JSONValue? { list(value).first }

    private static func list(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let elements)? = value { elements } else { [] }
    }

    @Test("is a log of one run, with a rule for each rule, each with its help")
    func rules() throws {
        let log = try Self.log(FindingsReport(findings: []))
        #expect(log["version"] == "2.1.0")
        let run = try #require(Self.first(log["runs"]))
        let driver = try #require(run.value(at: "tool.driver"))
        #expect(driver["name"] == "authtop")
        let rules = Self.list(driver["rules"])
        let names = rules.compactMap { $0["id"]?.stringValue }
        #expect(names == FindingRule.all.map(\.name) + ["experiment"])
        #expect(Set(names).count == names.count)
        for rule in FindingRule.all {
            let told = try #require(rules.first { $0["id"]?.stringValue == rule.name })
            #expect(told.value(at: "shortDescription.text")?.stringValue == rule.summary)
            #expect(told.value(at: "help.text")?.stringValue?.hasPrefix(rule.remedy) == true)
        }
        // No finding is told by an empty list: without one, nothing would have been looked for.
        #expect(run["results"] == .array([]))
    }

    @Test(
        "gives a finding the level of what is known",
        arguments: [
            (finding(), "error"),
            (finding(confidence: .likely), "warning"),
            (finding(experiment: "expire"), "warning"),
            (finding(severity: .risk), "warning"),
            (finding(severity: .note), "note"),
        ]
    )
    func level(finding: ObservedFinding, level: String) throws {
        let log = try Self.log(FindingsReport(findings: [finding]))
        let result = try #require(Self.first(Self.first(log["runs"])?["results"]))
        #expect(result["level"]?.stringValue == level)
        #expect(result["ruleId"] == "race")
        #expect(result["ruleIndex"] == 0)
        #expect(result.value(at: "message.text")?.stringValue == finding.message)
    }

    @Test("names where it is: the path as an address, the session, the test, the requests")
    func places() throws {
        let report = FindingsReport(findings: [Self.finding()], sessions: [1: SessionID("7")])
        let result = Self.first(Self.first(try Self.log(report)["runs"])?["results"])
        let location = try #require(Self.first(result?["locations"]))
        let address = location.value(at: "physicalLocation.artifactLocation.uri")
        #expect(address == "users/%3Aid/refresh")
        let places = Self.list(location["logicalLocations"])
        #expect(
            places.compactMap { $0["fullyQualifiedName"]?.stringValue } == [
                "session 7", "test keeps me logged in", "session 7/request #31",
            ]
        )
    }

    @Test("has no token, nor the fingerprint of one")
    func secrets() {
        let text = SARIFReport(report: FindingsReport(findings: [Self.finding()])).document.text
        #expect(!text.contains("s3cr3t"))
        #expect(!text.contains(Self.fingerprint.digits))
    }

    @Test("names a finding by what stays the same from run to run, and tells two apart by it")
    func identity() throws {
        func fingerprint(_ finding: ObservedFinding) throws -> String {
            let log = try Self.log(FindingsReport(findings: [finding]))
            let result = Self.first(Self.first(log["runs"])?["results"])
            let prints = try #require(result?["partialFingerprints"])
            #expect(prints["authtopFinding/v1"] == prints["primaryLocationLineHash"])
            return try #require(prints["authtopFinding/v1"]?.stringValue)
        }
        let one = try fingerprint(Self.finding(1))
        #expect(try fingerprint(Self.finding(9, confidence: .likely)) == one)
        #expect(try fingerprint(Self.finding(path: "/token")) != one)
        #expect(try fingerprint(Self.finding(path: nil)) != one)
        #expect(try fingerprint(Self.finding(rule: "loop-401")) != one)
    }

    @Test("has every property that the schema requires, and no value that it does not know")
    func schema() throws {
        let report = FindingsReport(
            findings: [
                Self.finding(), Self.finding(2, severity: .note), Self.finding(3, path: nil),
            ],
            omitted: [Omission(.findings, count: 3)]
        )
        let faults = SARIFSchema.faults(in: try Self.log(report))
        #expect(faults.isEmpty, "\(faults)")
    }

    private static let faultyLogs: [(JSONValue, String)] = [
        (["runs": []], "$: no version"),
        (["version": "2.1.0", "runs": [["results": []]]], "$.runs: no tool"),
        (
            [
                "version": "2.1.0",
                "runs": [
                    [
                        "tool": ["driver": ["name": "a"]],
                        "results": [["level": "bad", "message": ["text": "b"]]],
                    ]
                ],
            ],
            "$.runs.results.level: bad"
        ),
    ]

    @Test(
        "a log that the schema does not allow is noticed",
        arguments: faultyLogs
    )
    func faultyLog(log: JSONValue, fault: String) {
        #expect(SARIFSchema.faults(in: log) == [fault])
    }
}

/// What the schema of SARIF 2.1.0 says of the objects that a report has.
private enum SARIFSchema {
    private static let required = [
        "$": ["version", "runs"],
        "$.runs": ["tool"],
        "$.runs.tool": ["driver"],
        "$.runs.tool.driver": ["name"],
        "$.runs.tool.driver.rules": ["id"],
        "$.runs.invocations": ["executionSuccessful"],
        "$.runs.invocations.toolExecutionNotifications": ["message"],
        "$.runs.results": ["message"],
        "$.runs.results.suppressions": ["kind"],
    ]

    /// The members of each object, and of each a choice of values or none.
    private static let known: [String: [String: [String]]] = [
        "$": ["$schema": [], "version": ["2.1.0"], "runs": []],
        "$.runs": [
            "tool": [], "invocations": [], "results": [],
            "columnKind": ["utf16CodeUnits", "unicodeCodePoints"],
        ],
        "$.runs.results": [
            "ruleId": [], "ruleIndex": [], "level": ["none", "note", "warning", "error"],
            "message": [], "locations": [], "partialFingerprints": [], "suppressions": [],
        ],
        "$.runs.results.locations": ["physicalLocation": [], "logicalLocations": []],
        "$.runs.results.suppressions": [
            "kind": ["inSource", "external"], "status": ["accepted", "underReview", "rejected"],
        ],
    ]

    static func faults(in value: JSONValue, at path: String = "$") -> [String] {
        switch value {
        case .array(let elements): return elements.flatMap { faults(in: $0, at: path) }
        case .object(let members):
            var found = (required[path] ?? []).filter { members[$0] == nil }
                .map { "\(path): no \($0)" }
            if path.hasSuffix("essage"), members["text"] == nil { found.append("\(path): no text") }
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                if let names = known[path] {
                    if let values = names[name] {
                        if let text = member.stringValue, !values.isEmpty, !values.contains(text) {
                            found.append("\(path).\(name): \(text)")
                        }
                    } else {
                        found.append("\(path): unknown \(name)")
                    }
                }
                found += faults(in: member, at: "\(path).\(name)")
            }
            return found
        case .null, .bool, .integer, .number, .string: return []
        }
    }
}
