import Basics
import FoundationEssentials
import Model
import Profiles
import Testing

@testable import Observer

/// A kind of traffic as reports and providers describe it: with a mistake, and the same without it.
struct TrafficKind: Sendable, CustomTestStringConvertible {
    /// A finding with the words that tell what happened.
    struct Statement: Sendable {
        let rule: String
        let severity: ObservedFinding.Severity
        let confidence: ObservedFinding.Confidence
        let words: String

        var name: String { "\(rule) \(severity) \(confidence)" }

        static func bug(_ rule: String, _ words: String) -> Statement {
            Statement(rule: rule, severity: .bug, confidence: .certain, words: words)
        }

        static func likelyBug(_ rule: String, _ words: String) -> Statement {
            Statement(rule: rule, severity: .bug, confidence: .likely, words: words)
        }

        static func risk(_ rule: String, _ words: String) -> Statement {
            Statement(rule: rule, severity: .risk, confidence: .certain, words: words)
        }

        static func likelyRisk(_ rule: String, _ words: String) -> Statement {
            Statement(rule: rule, severity: .risk, confidence: .likely, words: words)
        }

        static func likelyNote(_ rule: String, _ words: String) -> Statement {
            Statement(rule: rule, severity: .note, confidence: .likely, words: words)
        }
    }

    /// A sentence that says what happens.
    let testDescription: String
    /// Everything that is said of the mistake.
    let statements: [Statement]
    let mistake: @Sendable (inout TrafficScript) -> Void
    /// The pairs of each session of the twin.
    let pairs: [Int]
    let twin: @Sendable (inout TrafficScript) -> Void

    init(
        _ sentence: String,
        says statements: [Statement],
        pairs: [Int],
        mistake: @escaping @Sendable (inout TrafficScript) -> Void,
        twin: @escaping @Sendable (inout TrafficScript) -> Void
    ) {
        testDescription = sentence
        self.statements = statements
        self.pairs = pairs
        self.mistake = mistake
        self.twin = twin
    }
}

@Suite("Traffic as reports describe it")
struct TrafficKindTests {
    static let kinds =
        TrafficKind.reading + TrafficKind.refusals + TrafficKind.renewals + TrafficKind.sockets
        + TrafficKind.sessions + TrafficKind.clocks

    @Test("tells the mistake, and nothing else", arguments: kinds)
    func mistake(kind: TrafficKind) {
        var script = TrafficScript()
        kind.mistake(&script)
        let run = ObservationRun(script)
        let found = run.findings.map { "\($0.rule) \($0.severity) \($0.confidence)" }
        #expect(found.sorted() == kind.statements.map(\.name).sorted(), "\(run.summary)")
        for statement in kind.statements {
            let said = run.findings.filter { $0.rule == statement.rule }.map(\.message)
            #expect(said.contains { $0.contains(statement.words) }, "\(said)")
        }
    }

    @Test("says nothing where there is none, and reads its sessions", arguments: kinds)
    func twin(kind: TrafficKind) {
        var script = TrafficScript()
        kind.twin(&script)
        let run = ObservationRun(script)
        #expect(run.findings.isEmpty, "\(run.summary)")
        let families = run.machine.traffic.graph.families.values.sorted { $0.id < $1.id }
        #expect(families.map { $0.generations.count } == kind.pairs)
    }
}

extension TrafficScript {
    /// Sends a request, and answers it after a round trip.
    @discardableResult
    mutating func ask(
        _ method: String,
        _ target: String,
        bearer: String? = nil,
        headers: [WireHeader] = [],
        json: JSONValue? = nil,
        form: String? = nil,
        _ status: Int = 200,
        _ answer: JSONValue? = [:],
        fields: [WireHeader] = []
    ) -> Int {
        let exchange = send(
            method,
            target,
            bearer: bearer,
            headers: headers,
            json: json,
            form: form
        )
        finish(exchange, status, answer, headers: fields)
        return exchange
    }

    /// Sends a request, and answers it with text of a type.
    @discardableResult
    mutating func ask(
        _ method: String,
        _ target: String,
        form: String? = nil,
        answer text: String,
        as type: String
    ) -> Int {
        let exchange = send(method, target, form: form)
        wait(Self.roundTrip)
        let headers = [WireHeader("Content-Type", type), WireHeader("Cache-Control", "no-store")]
        answer(exchange, 200, headers: headers, body: Array(text.utf8))
        deliver(exchange)
        return exchange
    }

    /// The seconds of a moment that is this many seconds from now, as claims state it.
    func epoch(in seconds: Double) -> JSONValue {
        .integer(Int64(Self.moment(self.seconds + seconds).wall.timeIntervalSince1970.rounded()))
    }
}
