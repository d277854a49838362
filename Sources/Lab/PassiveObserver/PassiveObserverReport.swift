import Client
import Model
import Simulation

/// The findings of a passive observer in the traffic of systems.
struct PassiveObserverReport: Sendable, Equatable {
    /// The rules that name mistakes of a client; the others concern servers, networks and users.
    static let ofClients: Set<String> = [
        "race", "spent-refresh", "loop-401", "stale-token", "dead-refresh-loop", "too-early",
        "no-refresh", "gave-up", "cookie-clobbered", "expired-sent", "no-backoff", "resurrected",
        "bad-header", "bad-proof", "kept-nothing", "token-in-url", "other-origin",
    ]

    /// A finding in the traffic of one system.
    struct Entry: Sendable, Equatable {
        let seed: UInt64
        let finding: ObservedFinding

        /// Whether it is a bug of the client's; risks and notes are counted only.
        var isOfClient: Bool {
            finding.severity == .bug && PassiveObserverReport.ofClients.contains(finding.rule)
        }
    }

    private static let entryLimit = 1_000
    /// The number of findings of each rule that are shown.
    private static let shownLimit = 3

    private(set) var exchanges = 0
    /// The number of times that each rule was broken, and the number of systems.
    private(set) var counts: [String: Int] = [:]
    /// The bugs of clients, up to a limit.
    private(set) var ofClients: [Entry] = []

    init(exchanges: Int, findings: [ObservedFinding], seed: UInt64) {
        self.exchanges = exchanges
        for finding in findings { counts[finding.rule, default: 0] += 1 }
        ofClients = findings.map { Entry(seed: seed, finding: $0) }.filter(\.isOfClient)
    }

    mutating func add(_ other: PassiveObserverReport) {
        exchanges += other.exchanges
        counts.merge(other.counts) { $0 + $1 }
        ofClients += other.ofClients.prefix(max(0, Self.entryLimit - ofClients.count))
    }

    /// For users.
    var lines: [String] {
        let others = counts.sorted { $0.key < $1.key }.map {
            "\($0.key) \(NumberText.text($0.value))"
        }
        let byRule = Dictionary(grouping: ofClients, by: \.finding.rule).sorted { $0.key < $1.key }
        let found = byRule.flatMap { $0.value.prefix(Self.shownLimit) }.map { entry in
            let doubt = entry.finding.confidence == .likely ? " (likely)" : ""
            return
                "✗ \(entry.finding.rule)\(doubt) in seed \(entry.seed): \(entry.finding.message), by "
                + entry.finding.exchanges.map { "#\($0)" }.joined(separator: " ")
        }
        return [
            "",
            "a bystander read \(NumberText.text(exchanges)) exchanges, and found "
                + "\(NumberText.text(ofClients.count)) bugs of clients",
        ] + (others.isEmpty ? [] : ["of all rules: " + others.joined(separator: ", ")]) + found
    }
}
