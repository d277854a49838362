package import Basics

/// Something that goes wrong in an app's traffic, with the exchanges that prove it.
///
/// It is reported again, with the same number, whenever it happens again.
package struct ObservedFinding: Sendable, Hashable, Codable, LogEntry {
    package enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
        /// It breaks sessions.
        case bug
        /// It may break sessions, or weakens them.
        case risk
        case note
    }

    package enum Confidence: String, Sendable, Hashable, Codable, CaseIterable {
        /// The evidence allows no other reading.
        case certain
        case likely
    }

    /// Counts the findings of a run, from 1.
    package var number: Int
    /// The name of its rule, such as `race`.
    package var rule: String
    /// A name for the way in which the rule is broken, if it can be broken in several.
    package var variant: String?
    package var severity: Severity
    package var confidence: Confidence
    /// The newest of what proves it, at most `evidenceLimit`.
    package var evidence: [FindingEvidence]
    /// The problem, in a sentence without secrets.
    package var message: String
    /// The remedy.
    package var remedy: String
    /// Public issues of the same kind, as `owner/repository#number`.
    package var references: [String]
    /// The path at which it happens, with `:id` for what varies, or `nil` if it is at no path.
    package var path: String?
    package var firstAt: Moment
    package var lastAt: Moment
    package var count: Int
    /// The experiment that caused it, or `nil` if the app or the backend did.
    package var experiment: String?
    /// The test that was in progress, or `nil` if none was named.
    package var mark: String?

    /// The addition of the last report to the evidence; `nil` for the first report.
    package var addition: [FindingEvidence]?

    package static let evidenceLimit = 32

    package init(
        number: Int,
        rule: String,
        variant: String? = nil,
        severity: Severity,
        confidence: Confidence,
        evidence: [FindingEvidence],
        message: String,
        remedy: String,
        references: [String] = [],
        path: String? = nil,
        firstAt: Moment,
        lastAt: Moment,
        count: Int = 1,
        experiment: String? = nil,
        mark: String? = nil
    ) {
        self.number = number
        self.rule = rule
        self.variant = variant
        self.severity = severity
        self.confidence = confidence
        self.evidence = evidence.suffix(Self.evidenceLimit)
        self.message = message
        self.remedy = remedy
        self.references = references
        self.path = path
        self.firstAt = firstAt
        self.lastAt = lastAt
        self.count = count
        self.experiment = experiment
        self.mark = mark
    }

    /// The numbers of the exchanges that prove it, in their order.
    package var exchanges: [Int] { evidence.exchanges }

    /// The evidence that a line about it has to report: all evidence at first, then the new one.
    var newEvidence: [FindingEvidence] { addition ?? evidence }

    /// Whether it is wrong beyond doubt, and not because of an experiment.
    package var isCertainBug: Bool {
        severity == .bug && confidence == .certain && experiment == nil
    }
}

extension [FindingEvidence] {
    /// The numbers of the exchanges among it, in their order.
    var exchanges: [Int] {
        compactMap { item in
            if case .exchange(let number) = item.subject { number } else { nil }
        }
    }
}

/// One thing that proves a finding, and its part in it.
///
/// Each report of a finding has most of the evidence of the one before, and a run keeps thousands of
/// reports: they share it.
package struct FindingEvidence: Sendable, Hashable, Codable {
    package enum Subject: Sendable, Hashable, Codable {
        case exchange(Int)
        /// A socket, by the number of its exchange.
        case socket(Int)
        case token(Fingerprint)
    }

    private struct Content: Sendable, Hashable, Codable {
        var subject: Subject
        var role: String
    }

    private var shared: Shared<Content>

    package var subject: Subject { shared.value.subject }
    /// A few words, such as `first refresh, answered 200`.
    package var role: String {
        get { shared.value.role }
        set { shared = Shared(Content(subject: subject, role: newValue)) }
    }

    package init(_ subject: Subject, _ role: String) {
        shared = Shared(Content(subject: subject, role: role))
    }

    package init(from decoder: any Decoder) throws {
        shared = Shared(try Content(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws {
        try shared.value.encode(to: encoder)
    }
}

extension ObservedFinding: ObservedEvent {
    package static let name = "finding"
    package static let summary = "Something goes wrong in the app's traffic, or has again."
    package static let fields: [EventField<ObservedFinding>] = [
        .integer("number", "The n-th finding of the run; the same each time it happens.") {
            $0.number
        },
        .text("rule", "The name of its rule.") { $0.rule },
        .text("variant", "In which way the rule is broken.", isOptional: true) { $0.variant },
        .choice("severity", "How bad it is.") { $0.severity },
        .choice("confidence", "How sure it is.") { $0.confidence },
        .integer("count", "How often it has happened.") { $0.count },
        .list("exchanges", "The exchanges that prove it.") {
            $0.exchanges.map { .integer(Int64($0)) }
        },
        .list(
            "evidence",
            "What proves it: an exchange, a socket or a token, and its part in it. After the first line "
                + "about it: what is new."
        ) { $0.newEvidence.map(\.json) },
        .text("message", "What went wrong, for users.") { $0.message },
        .text("remedy", "What to do about it.") { $0.remedy },
        .list("references", "Public issues of the same kind.") {
            $0.references.map(JSONValue.string)
        },
        .text("path", "Where it happens; `:id` stands for what varies.", isOptional: true) {
            $0.path
        },
        .time("firstAt", "When it happened first.") { $0.firstAt.now },
        .text("experiment", "The experiment that caused it.", isOptional: true) {
            $0.experiment
        },
        .text("mark", "The test that was running.", isOptional: true) { $0.mark },
    ]

    package var kept: (any EventKind)? {
        // Repetitions, and better proof, are in the finding itself.
        count == 1 && firstAt == lastAt ? self : nil
    }
    package var level: EventLevel { severity == .note ? .info : .warning }
    package var condition: NotificationCondition? {
        confidence == .certain && experiment == nil ? .certainFinding : nil
    }
    package var tone: EventTone {
        switch severity {
        case .bug: .bad
        case .risk: .warning
        case .note: .plain
        }
    }

    package func apply(to book: inout SessionBook, in event: SessionEvent) {
        book.findings.insert(LoggedFinding(session: event.session, finding: self))
    }
}

extension FindingEvidence {
    fileprivate var json: JSONValue {
        let role = JSONValue.string(role)
        return switch subject {
        case .exchange(let number): ["exchange": .integer(Int64(number)), "role": role]
        case .socket(let number): ["socket": .integer(Int64(number)), "role": role]
        case .token(let fingerprint): ["token": .string(fingerprint.digits), "role": role]
        }
    }
}
