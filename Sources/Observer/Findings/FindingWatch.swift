import Basics
import Model

/// A fact that has just become known.
enum ObservedFact: Sendable {
    /// A request was read.
    case started(Int)
    /// It was answered, or failed.
    case over(Int)
    /// Its answer reached the app, or was lost on the way.
    case delivered(Int)
    case socketMessage(Int, SocketMessageFacts)
    case socketClosed(Int, SocketEnd)
    case time
}

extension ObservedFact {
    /// The exchange that begins with it, or `nil` if none does.
    func started(in traffic: ObservedTraffic) -> ObservedExchange? {
        if case .started(let number) = self { traffic.exchange(number) } else { nil }
    }

    /// The exchange that it was the end of, or `nil` if it was the end of none.
    func over(in traffic: ObservedTraffic) -> ObservedExchange? {
        if case .over(let number) = self { traffic.exchange(number) } else { nil }
    }

    /// The exchange whose answer it is the delivery of, or `nil` if it is none.
    func delivered(in traffic: ObservedTraffic) -> ObservedExchange? {
        if case .delivered(let number) = self { traffic.exchange(number) } else { nil }
    }
}

/// Watches for one kind of finding.
protocol FindingWatch: Sendable {
    /// Takes in a fact, of which the traffic knows already.
    mutating func observe(
        _ fact: ObservedFact,
        _ traffic: ObservedTraffic,
        at moment: Moment
    ) -> [FindingDraft]

    /// When time alone may bring a finding, or `nil` if it cannot.
    var nextDeadline: Instant? { get }
}

extension FindingWatch {
    var nextDeadline: Instant? { nil }
}

/// A finding as its rule sees it.
struct FindingDraft: Sendable {
    /// Told apart from the occurrences before, which this one may add to.
    var occurrence: Int
    var family: Int?
    var path: String?
    var variant: String?
    /// The rule's own, if it is `nil`.
    var severity: ObservedFinding.Severity?
    var confidence = ObservedFinding.Confidence.certain
    var evidence: [FindingEvidence]
    var message: String
    /// The rule's own, if it is `nil`.
    var remedy: String?
    var experiment: String?
    var mark: String?

    init(
        _ exchange: ObservedExchange,
        variant: String? = nil,
        severity: ObservedFinding.Severity? = nil,
        confidence: ObservedFinding.Confidence = .certain,
        evidence: [FindingEvidence],
        message: String,
        experiment: String? = nil
    ) {
        occurrence = exchange.number
        family = exchange.family
        path = exchange.request.template
        self.variant = variant
        self.severity = severity
        self.confidence = confidence
        self.evidence = evidence
        self.message = message
        self.experiment = experiment ?? exchange.experiment
    }
}

extension ObservedExchange {
    /// This exchange as evidence.
    func evidence(_ role: String) -> FindingEvidence {
        FindingEvidence(.exchange(number), role)
    }
}
