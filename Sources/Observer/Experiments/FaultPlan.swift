import Basics
import Model
import Profiles

/// The result of each request while experiments are in progress: a pure value, which follows the
/// traffic as the machine does, and decides by what the machine knows.
struct FaultPlan: Sendable {
    private var reader: TrafficReader
    private var machine: ObservationMachine
    private var armed: [ArmedExperiment] = []
    /// The exchanges whose answers are to be rewritten, with the experiment.
    private var rewriting: [Int: Fault] = [:]

    /// - Parameters:
    ///   - reader: As it reads the traffic at present.
    ///   - machine: The present state of the traffic.
    init(reader: TrafficReader, machine: ObservationMachine) {
        self.reader = reader
        self.machine = machine.withoutRules
    }

    /// Whether no request is changed any more.
    var isIdle: Bool { armed.isEmpty && rewriting.isEmpty }

    /// Begins an experiment with one session, or with any.
    mutating func arm(_ experiment: Fault, session: SessionID?) {
        armed.removeAll { $0.experiment.name == experiment.name }
        armed.append(ArmedExperiment(experiment, family: session.flatMap { Int($0.description) }))
    }

    /// Ends an experiment, or all.
    mutating func disarm(_ experiment: Fault?) {
        armed.removeAll { experiment == nil || $0.experiment.name == experiment?.name }
    }

    mutating func observe(_ input: TrafficInput, at moment: Moment) {
        for fact in reader.read(input, at: moment) { _ = machine.handle(fact, at: moment) }
        switch input.kind {
        case .delivered, .failed: rewriting[input.exchange] = nil
        default: break
        }
    }

    /// The open sockets of a session, or `nil` for those of all.
    func sockets(of session: SessionID?) -> Set<Int>? {
        guard let family = session.flatMap({ Int($0.description) }) else { return nil }
        return Set(
            machine.traffic.exchanges.filter {
                $0.family == family && $0.openedAt != nil && $0.closedAt == nil
            }
            .map(\.number)
        )
    }

    /// Decides on a request that has been read.
    mutating func decide(
        on number: Int,
        at moment: Moment,
        answers: RefusalTemplates
    ) -> FaultDecision {
        guard let exchange = machine.traffic.exchange(number) else { return .pass }
        defer { armed.removeAll(where: \.isOver) }
        for index in armed.indices {
            let injection = armed[index].decide(
                on: exchange,
                in: machine.traffic,
                at: moment.now
            )
            guard let injection else { continue }
            return decision(injection, armed[index].experiment, exchange, answers)
        }
        return .pass
    }

    private mutating func decision(
        _ injection: ArmedExperiment.Injection,
        _ experiment: Fault,
        _ exchange: ObservedExchange,
        _ answers: RefusalTemplates
    ) -> FaultDecision {
        let name = experiment.description
        let origin = exchange.request.origin
        var delay = 0.0
        let answer: WireResponse
        switch injection {
        case .change(let change):
            if change == .rewrite { rewriting[exchange.number] = experiment }
            return .change(experiment: name, change)
        case .refuseAccess(let seconds):
            delay = seconds
            answer = answers.refusal(
                from: origin,
                orElse: reader.answer(.unauthorized(.expired), to: exchange.number)
            )
        case .refuseRefresh:
            answer = answers.refusedRefresh(
                from: origin,
                orElse: reader.answer(.refreshRefused(.revoked), to: exchange.number)
            )
        case .fail(let status):
            answer = answers.answer(status, "{\"error\":\"temporarily_unavailable\"}", from: origin)
        case .limit(let seconds):
            answer = answers.answer(
                429,
                "{\"error\":\"slow_down\"}",
                [WireHeader("Retry-After", String(seconds))],
                from: origin
            )
        case .page: answer = answers.page(from: origin)
        }
        return .answer(InjectedAnswer(experiment: name, response: answer, delay: delay))
    }

    /// Returns another body for the answer to an exchange, or `nil` if it stays as it is.
    mutating func rewriting(
        _ body: [UInt8],
        of number: Int,
        at moment: Moment
    ) -> [UInt8]? {
        guard let experiment = rewriting.removeValue(forKey: number) else { return nil }
        let other: [UInt8]?
        switch experiment.effect {
        case .shortenLife:
            other = TokenAnswerEdit.shortening(
                body,
                to: experiment[.seconds],
                at: moment.wall,
                by: reader.recognition.lifetimes
            )
        case .removeRefreshToken:
            other = TokenAnswerEdit.removingRefreshToken(
                from: body,
                by: reader.recognition.tokens
            )
        default: other = nil
        }
        guard other != nil else { return nil }
        for index in armed.indices where armed[index].experiment == experiment {
            armed[index].recordRewritten()
        }
        armed.removeAll(where: \.isOver)
        return other
    }
}
