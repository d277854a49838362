package import Basics
package import Model
package import Profiles

/// Derives sessions and findings from what was seen of an app's traffic.
///
/// It is a pure value: the same inputs at the same times lead to the same effects.
package struct ObservationMachine: Sendable {
    package struct Configuration: Sendable {
        /// The name of the profile, or of what is watched.
        var profile: String
        /// The dialect by which the traffic is read, or `nil` without one.
        var dialect: String?
        package var baseURL: String
        /// The origins to which a token may go, or none if any may get it.
        var origins: Set<String>
        var rules: [FindingRule]
        var recognition: Recognition

        package init(
            profile: String,
            dialect: String? = nil,
            baseURL: String,
            origins: Set<String> = [],
            rules: [FindingRule] = FindingRule.all,
            recognition: Recognition = .builtIn
        ) {
            self.profile = profile
            self.dialect = dialect
            self.baseURL = baseURL
            self.origins = origins
            self.rules = rules
            self.recognition = recognition
        }
    }

    /// The session of the traffic without a token.
    package static let withoutToken = SessionID("0")

    let configuration: Configuration
    var traffic: ObservedTraffic
    var clients = ClientRegistry()
    var endpoints = LearnedEndpoints()
    var learned = LearnedRefusals()
    /// Texts of answers that are tokens if a request presents them, with their families.
    var candidates = RecentMap<Fingerprint, Int>(limit: 1_024)
    var unnamed = UnnamedTokens()
    /// The families of sessions that name themselves in their tokens.
    var named = RecentMap<String, Int>(limit: 512)
    /// The clocks of the backends against ours, by origin.
    var offsets: [String: ServerOffset] = [:]
    /// Pairs that wait for the clock of their backend, the oldest first.
    var joinedPairs: [JoinedPair] = []
    var states: [SessionID: SessionState] = [:]
    var statuses: [Int: ObservedStatus] = [:]
    /// The states of the sessions before the app began to renew them.
    var statusBeforeRenewal: [Int: ObservedStatus] = [:]
    /// The refusals of a refresh token that may not be for good, by client.
    var refusals = RecentMap<Fingerprint, [ObservedClient: BareRefusals]>(limit: 256)
    /// When a client sent its last request.
    var lastRequests = RecentMap<ObservedClient, Instant>(limit: 256)
    private var watches: [any FindingWatch]
    var book = FindingBook()
    /// The experiments whose scorecards can still change.
    var runs: [ExperimentRun] = []
    var pace = RateLimit()
    /// The scorecards of all experiments.
    var scorecards: [Scorecard] = []
    var lastRun = 0
    var omissions = Omissions()
    var counts = CoverageCounts()
    var archive = ArchiveGaps()
    /// When the last input of an exchange came.
    private var lastInputAt: Moment?
    var misdirected = MisdirectedRequests()
    /// The test that is in progress, or `nil` if none was named.
    var mark: String?
    /// The tests that were named, in their order.
    var marks: [String] = []
    /// Events of the input at hand.
    var events: [SessionEvent] = []

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        traffic = ObservedTraffic(
            origins: configuration.origins,
            organizationClaims: configuration.recognition.organizationClaims
        )
        watches = configuration.rules.map { $0.makeWatch() }
    }

    /// The findings so far.
    package var findings: [ObservedFinding] { book.all }

    /// The session of each finding, by its number, where it is one session's.
    package var findingSessions: [Int: SessionID] { book.sessions }

    /// The inputs that were left out so far.
    var omitted: [Omission] { omissions.all }

    /// The last request that was refused because it named another server.
    var lastMisdirected: MisdirectedRequest? { misdirected.newest }

    /// When time alone may change something, or `nil` if it cannot.
    package var nextDeadline: Instant? {
        let ends = statuses.compactMap { _, status in
            if case .live(let until) = status { until } else { nil }
        }
        let others = watches.compactMap(\.nextDeadline) + runs.compactMap(\.endsAt)
        let judgement = runs.isEmpty ? [] : [pace.next].compactMap(\.self)
        let rest = [joinDeadline, omissions.due, misdirected.due].compactMap(\.self)
        return (ends + others + judgement + rest).min()
    }

    /// This machine without what it would find, and without its experiments.
    var withoutRules: ObservationMachine {
        var machine = self
        machine.watches = []
        machine.runs = []
        return machine
    }

    /// Takes in one thing that was seen.
    ///
    /// - Parameters:
    ///   - input: The observation; those of one run in the order in which they happened.
    ///   - moment: When.
    /// - Returns: The events that follow, in order.
    package mutating func handle(
        _ input: ObservationInput,
        at moment: Moment
    ) -> [SessionEvent] {
        events = []
        if input.exchange > 0 { lastInputAt = moment }
        let number = input.exchange
        switch input.kind {
        case .requested(let facts):
            begin(number, facts, at: moment)
            observe(.started(number), at: moment)
        case .answered(let facts):
            guard let exchange = traffic.exchange(number), exchange.answer == nil else { break }
            answer(exchange, facts, at: moment)
            if let exchange = traffic.exchange(number) { counts.add(exchange) }
            observe(.over(number), at: moment)
        case .delivered(let isWhole):
            let isKnown = traffic.exchange(number)?.isDelivered ?? false
            deliver(number, isWhole, at: moment)
            if !isKnown { observe(.delivered(number), at: moment) }
        case .failed(let failure):
            fail(number, failure, at: moment)
            observe(.over(number), at: moment)
        case .socketOpened: openSocket(number, at: moment)
        case .socketMessage(let message):
            take(message, of: number, at: moment)
            observe(.socketMessage(number, message), at: moment)
        case .socketClosed(let end):
            closeSocket(number, end, at: moment)
            observe(.socketClosed(number, end), at: moment)
        case .injected(let experiment):
            change(number) { $0.experiment = experiment }
        case .mark(let name): recordMark(name, at: moment)
        case .experimentBegan(let experiment, let session):
            begin(experiment, with: session, at: moment)
        case .experimentStopped(let experiment): stop(experiment, at: moment)
        case .dropped(let count, let exchanges):
            omit(.requests, exchanges ?? 0, at: moment)
            omit(.parts, count - (exchanges ?? 0), at: moment)
        case .misdirected(let host, let isURL, let isAllowable):
            let request = MisdirectedRequest(
                host: host,
                isURL: isURL,
                isAllowable: isAllowable,
                count: 1
            )
            recordRefusal(of: request, at: moment)
        case .unreadable(let subject): omit(subject, 1, at: moment)
        case .tick:
            reportDue(at: moment)
            announceOverdue(at: moment)
            expire(at: moment)
            observe(.time, at: moment)
        }
        forgetDropped(at: moment)
        evaluateDueRuns(at: moment)
        defer { events = [] }
        return events
    }

    /// Tells at the end of a run what was to be told later, and what was seen.
    mutating func finish(at moment: Moment) -> [SessionEvent] {
        events = []
        reportDue(at: moment, isLast: true)
        // As of the last exchange, so that a recording of the run leads to the same; of a session
        // that there is, if there is one, so that none begins for it.
        let isBegun = states[Self.withoutToken] != nil
        let family = isBegun ? nil : traffic.graph.families.keys.min()
        emit(coverage, of: family, at: lastInputAt ?? moment)
        defer { events = [] }
        return events
    }

    private mutating func observe(_ fact: ObservedFact, at moment: Moment) {
        for index in watches.indices {
            for var draft in watches[index].observe(fact, traffic, at: moment) {
                draft.experiment = draft.experiment ?? experiment(behind: draft, at: moment)
                draft.mark = mark(of: draft)
                // The inputs that were not read may prove the opposite, as may a refusal that does not
                // say that it is one, and an answer that the app has not read.
                if omissions.isTrafficIncomplete || isDoubtful(draft) || restsOnForgotten(draft) {
                    draft.confidence = .likely
                }
                for index in draft.evidence.indices { quoteServer(in: &draft.evidence[index]) }
                let (finding, isOneOmitted) = book.take(
                    draft,
                    by: configuration.rules[index],
                    at: moment
                )
                if let finding {
                    if let family = draft.family {
                        traffic.graph.change(family) { $0.hasFinding = true }
                    }
                    emit(finding, of: draft.family, at: moment)
                }
                if isOneOmitted { omit(.findings, 1, at: moment) }
            }
        }
    }

    /// Adds the server's own words to an exchange that it did not answer as asked for.
    private func quoteServer(in evidence: inout FindingEvidence) {
        guard case .exchange(let number) = evidence.subject,
            let answer = traffic.exchange(number)?.answer,
            let words = answer.serverWords?.inOneLine(limit: Self.quotationLimit)
        else { return }
        evidence.role += answer.isRedirect ? " \(words)" : ": \"\(words)\""
    }

    /// The most characters of a server's words in the evidence of a finding.
    private static let quotationLimit = 80

    /// Whether a finding rests on an exchange that is only likely a renewal, or on an answer that is only
    /// likely a refusal, or that had only likely reached the app when it went on.
    private func isDoubtful(_ draft: FindingDraft) -> Bool {
        let exchanges = draft.evidence.compactMap { evidence in
            if case .exchange(let number) = evidence.subject {
                traffic.exchange(number)
            } else {
                nil
            }
        }
        let isInferred = exchanges.contains { exchange in
            exchange.isAccessInferred
                || exchange.purpose == .refresh
                    && traffic.family(of: exchange)?.isRefreshInferred == true
        }
        return isInferred
            || exchanges.contains { exchange in
                guard exchange.isDeliveryDoubted, let endedAt = exchange.endedAt else {
                    return exchange.isRefusalInferred
                }
                return exchange.isRefusalInferred
                    || exchanges.contains { endedAt.now < $0.startedAt.now }
            }
    }

    /// Whether a finding is about a session of which a part may have been forgotten: a token that is seen
    /// again after that is unknown, and what its session had before is no evidence any more.
    private func restsOnForgotten(_ draft: FindingDraft) -> Bool {
        let families = draft.evidence.compactMap { evidence in
            if case .exchange(let number) = evidence.subject {
                traffic.exchange(number)?.family
            } else {
                nil
            }
        }
        return ([draft.family].compactMap(\.self) + families)
            .contains(where: traffic.graph.mayBeForgotten)
    }

    /// Whether a session has ended by its last expiry.
    private mutating func expire(at moment: Moment) {
        for (id, status) in statuses.sorted(by: { $0.key < $1.key }) {
            guard case .live(let until?) = status, until <= moment.now else { continue }
            setStatus(.expired, family: id, at: moment)
        }
    }
}
