import Basics
import Model
import Profiles

/// The counts of a run, as far as it has come.
struct CoverageCounts: Sendable {
    private static let originLimit = 1_024

    private var requests = 0
    private var origins: Set<String> = []
    private var strayRefusals = 0
    private var unreadBodies = 0

    mutating func add(_ request: RequestFacts) {
        requests += 1
        guard origins.count < Self.originLimit else { return }
        origins.insert(request.origin)
    }

    /// Takes in an exchange that was answered.
    mutating func add(_ exchange: ObservedExchange) {
        guard let answer = exchange.answer else { return }
        if answer.unreadCoding != nil { unreadBodies += 1 }
        guard [401, 403].contains(answer.status), exchange.family == nil,
            ![.login, .preflight].contains(exchange.purpose)
        else { return }
        strayRefusals += 1
    }

    var coverage: ObservedCoverage {
        var coverage = ObservedCoverage()
        coverage.exchanges = requests
        coverage.origins = origins.count
        coverage.strayRefusals = strayRefusals
        coverage.unreadBodies = unreadBodies
        return coverage
    }
}

extension ObservationMachine {
    /// What was seen so far.
    var coverage: ObservedCoverage {
        var coverage = counts.coverage
        for family in traffic.graph.families.values {
            coverage.add(statuses[family.id]?.code ?? (family.end == nil ? .joined : .ended))
        }
        // Those that made room for others had ended, or were used the longest ago.
        let (graph, forgotten) = (traffic.graph, traffic.graph.forgottenCount)
        coverage.add(.ended, count: graph.familyCount - graph.families.count - forgotten)
        coverage.addForgotten(forgotten)
        coverage.accessTokens = traffic.graph.accessCount
        coverage.refreshTokens = traffic.graph.refreshCount
        coverage.missingBodies = archive.missingBodies
        coverage.redacted = archive.redacted
        return coverage
    }

    /// What an archive lacks.
    struct ArchiveGaps: Sendable {
        var missingBodies = 0
        var redacted = 0
    }

    /// Takes in what an archive lacks, before its exchanges.
    mutating func begin(_ capture: HARCapture) -> [SessionEvent] {
        events = []
        archive = ArchiveGaps(missingBodies: capture.missingBodies, redacted: capture.redacted)
        omit(.entries, capture.missingExchanges, at: capture.startedAt)
        defer { events = [] }
        return events
    }
}
