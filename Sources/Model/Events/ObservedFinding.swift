package import Basics

/// Something that goes wrong in an app's traffic, with the exchanges that prove it.
///
/// It is reported again, with the same number, whenever it happens again.
package struct ObservedFinding: Sendable, Hashable, Codable, Numbered {
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
    /// What went wrong, in a sentence without secrets.
    package var message: String
    /// What to do about it.
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
    /// The test that was under way, or `nil` if none was named.
    package var mark: String?

    /// What the last report has added to the evidence; `nil` for the first report.
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

    /// What a line about it has to report: all evidence at first, then what is new.
    package var newEvidence: [FindingEvidence] { addition ?? evidence }

    /// Whether it is wrong beyond doubt, and not because of an experiment.
    package var isCertainBug: Bool {
        severity == .bug && confidence == .certain && experiment == nil
    }
}

extension [FindingEvidence] {
    /// The numbers of the exchanges among it, in their order.
    package var exchanges: [Int] {
        compactMap { item in
            if case .exchange(let number) = item.subject { number } else { nil }
        }
    }
}

/// One thing that proves a finding, and its part in it.
package struct FindingEvidence: Sendable, Hashable, Codable {
    package enum Subject: Sendable, Hashable, Codable {
        case exchange(Int)
        /// A socket, by the number of its exchange.
        case socket(Int)
        case token(Fingerprint)
    }

    package var subject: Subject
    /// A few words, such as `first refresh, answered 200`.
    package var role: String

    package init(_ subject: Subject, _ role: String) {
        self.subject = subject
        self.role = role
    }
}
