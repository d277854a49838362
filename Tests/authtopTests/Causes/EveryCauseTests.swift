import Basics
import FoundationEssentials
import Logging
import Profiles
import Simulation
import Synchronization
import Testing

@testable import Backend
@testable import Client
@testable import Model
@testable import Observer
@testable import UI
@testable import authtop

/// A user reads sentences: no name of a case, and no gap where a sentence should be.
@Suite("Every cause, wherever a user reads it")
struct EveryCauseTests {
    private static let moment = Moment(
        now: .origin,
        wall: Date(timeIntervalSince1970: 1_763_733_600)
    )

    private static func event(_ kind: any EventKind) -> SessionEvent {
        SessionEvent(
            moment: moment,
            session: SessionID("acme"),
            profile: "acme",
            login: 1,
            generation: 1,
            kind: kind
        )
    }

    /// The fault of a text for a user, or `nil`.
    private static func fault(_ text: String) -> String? {
        if text.allSatisfy(\.isWhitespace) { return "it is empty" }
        if let name = text.firstMatch(of: /\b[a-z]+[A-Z]\w*/) { return "it holds \(name.0)" }
        if text.contains("()") || text.contains("Optional") { return "it has a gap" }
        let end = text.trimmingPrefix { $0 == " " }.last
        return end == ":" || end == "·" ? "it ends in \(end ?? " ")" : nil
    }

    @Test("is a sentence of its own in the text that all of them share")
    func sentences() {
        let causes = CauseText()
        let texts =
            CauseSamples.failures.map { causes.text($0) }
            + CauseSamples.failures.map(FailureText.full)
            + CauseSamples.failures.map(FailureText.name)
            + CauseSamples.vaultProblems.map { causes.text($0) }
            + CauseSamples.credentials.map { causes.text($0) }
            + CauseSamples.unsent.map { causes.text($0) }
            + CauseSamples.stateChanges.map { causes.text($0) }
            + CauseSamples.requests.map { causes.text($0) }
            + CauseSamples.rejections.map { causes.text($0) }
            + CauseSamples.listFailures.map { causes.text($0) }
            + CauseSamples.feed.map { causes.text($0) }
            + CauseSamples.feed.map { causes.text(stopping: $0) }
            + SignedOutReason.allCases.map { causes.text($0) }
            + CauseSamples.refusals.flatMap { refusal in
                [RefusalText.age(refusal), RefusalText.summary(refusal)]
                    + PossibleCause.allCases.map { RefusalText.text($0, refusal) }
            }
            + RefreshCause.allCases.map { causes.text($0) }
            + CauseSamples.plans.map { causes.text($0) }
            + CauseSamples.rules.map { causes.text($0) }
        for text in texts { #expect(Self.fault(text) == nil, "\(text)") }
        // Two that differ in kind are told apart.
        let named = Dictionary(grouping: CauseSamples.failures, by: \.code)
        #expect(Set(named.keys) == Set(RefreshFailure.Code.allCases))
        #expect(CauseSamples.rejections.map(\.code) == ActionRejection.Code.allCases)
        #expect(CauseSamples.rules.map(\.code) == DecidingRule.Code.allCases)
        #expect(Set(CauseSamples.rules.map { causes.text($0) }).count == CauseSamples.rules.count)
        let rejections = CauseSamples.rejections.map { causes.text($0) }
        #expect(Set(rejections).count == rejections.count)
    }

    @Test("is a sentence in the fields of a line of JSON that are for users, and in the log")
    func lines() throws {
        let lines = Mutex<[String]>([])
        var logger = Logger(label: "test") { _ in
            CollectingHandler { line in
                lines.withLock { $0.append(line) }
            }
        }
        logger.logLevel = .trace
        let log = EventLog(logger: logger)
        for kind in CauseSamples.events {
            let text = EventLine.text(of: Self.event(kind), causes: CauseText())
            log.record(Self.event(kind))
            #expect(lines.withLock(\.last) == text)
            guard case .object(let members)? = JSONValue(parsing: Array(text.utf8)) else {
                Issue.record("no object: \(text)")
                continue
            }
            for name in ["message", "why"] {
                guard case .string(let sentence)? = members[name] else { continue }
                #expect(Self.fault(sentence) == nil, "\(name) of \(text)")
            }
        }
    }

    @Test("is a sentence on the screen: in the header, the panes, the overlays and the notices")
    func screens() {
        for kind in CauseSamples.events {
            // Why a state changed is in lines of JSON alone.
            if (kind as? SessionStateChanged)?.to == .fresh { continue }
            var state = DashboardState(
                configuration: DashboardConfiguration(),
                sessions: [DashboardSession(id: SessionID("acme"))]
            )
            let events = Self.story(before: kind) + [kind]
            _ = state.update(.resized(columns: 160, rows: 40))
            _ = state.update(.events(events.map(Self.event)))
            var text = state.render(size: (160, 40), now: Self.moment).text
            for keys in Self.overlays(showing: kind) {
                for key in keys { _ = state.update(.key(key)) }
                text += state.render(size: (160, 40), now: Self.moment).text
                _ = state.update(.key(.escape))
            }
            for line in Set(text.split(separator: "\n")) {
                let name = line.firstMatch(of: /\b[a-z]+[A-Z]\w*/)
                #expect(name == nil, "\(line)")
                #expect(!line.contains("()") && !line.contains(": ·"), "\(line)")
                // A mark of the lifeline, not a text.
                if line.hasPrefix("│ requests ") { continue }
                // The frame of an overlay or a pane stands behind a text that ends too early.
                #expect(line.firstMatch(of: /(:|·) +[│┃]?\s*$/) == nil, "\(line)")
            }
        }
    }

    @Test(
        "can be read to its end on a narrow screen: in a notice, and in the header",
        arguments: [(80, 24), (60, 16)]
    )
    func narrow(columns: Int, rows: Int) {
        for kind in CauseSamples.events {
            var state = DashboardState(sessions: [DashboardSession(id: SessionID("acme"))])
            _ = state.update(.resized(columns: columns, rows: rows))
            let events = Self.story(before: kind) + [kind]
            _ = state.update(.events(events.map(Self.event)))
            let screen = state.render(size: (columns, rows), now: Self.moment).text
                .split(separator: "\n")
            let header = screen.prefix { !$0.contains("╭") }.dropFirst()
            #expect(!header.contains { $0.contains("…") }, "\(header.joined(separator: "\n"))")
            guard let message = state.notice?.message else { continue }
            let read = Self.words(screen.suffix(rows / 3 + 1).joined(separator: " "))
            #expect(read.contains(Self.words(message)), "\(message)")
        }
    }

    private static func words(_ text: String) -> [Substring] {
        text.split { !$0.isLetter && !$0.isNumber }
    }

    /// The events that lead to an event.
    private static func story(before kind: any EventKind) -> [any EventKind] {
        let beginning: [any EventKind] = [
            capabilities, SessionStateChanged(from: .cold, to: .fresh, why: .login),
        ]
        guard let flight = (kind as? RefreshFailed)?.flight else { return beginning }
        let refresh = Exchange(
            id: 1,
            purpose: .refresh,
            method: "POST",
            target: "/refresh",
            result: .answered(status: 503),
            seconds: 0.01,
            generation: 1,
            why: .refresh(.timer),
            flight: flight
        )
        return beginning + [RefreshStarted(flight: flight, cause: .timer), refresh]
    }

    /// The keys that open the overlays in which an event shows.
    private static func overlays(showing kind: any EventKind) -> [[Key]] {
        if kind is Exchange { return [["3", .enter]] }
        if kind is RefreshFailed { return [["3", .enter], ["i"]] }
        if kind is RefreshStarted { return [["2", .enter], ["i"]] }
        if kind is any FeedEvent { return [["4", .enter]] }
        if kind is SessionListUpdate { return [["S"]] }
        if kind is IntrospectionResult { return [["I"]] }
        if kind is LoginFailed { return [["o"]] }
        return []
    }

    private static let capabilities = Capabilities(
        dialect: "acme",
        title: "Acme",
        baseURL: "http://127.0.0.1:1",
        rotation: .always,
        logoutScopes: [.this],
        hasFeed: true,
        hasProtectedRequest: true,
        vault: "memory",
        requestEvery: nil,
        listsSessions: true,
        questions: TokenQuestion.allCases
    )

    @Test("is a sentence in what a command prints")
    func commands() throws {
        let request = try CustomRequest(method: "GET", target: "/me")
        let refresh = RefreshText(
            profile: "acme",
            clock: ClockFormatter(utcOffsetSeconds: 0),
            moment: Self.moment
        )
        let sent = RequestOutcomeText(profile: "acme", request: request)
        var messages: [String] = []
        func note(_ text: () throws(CommandFailure) -> String?) {
            do throws(CommandFailure) {
                messages += [try text()].compactMap(\.self)
            } catch {
                messages.append(error.message)
            }
        }
        for result in CauseSamples.refreshResults {
            note { () throws(CommandFailure) in try refresh.message(of: result, nil) }
        }
        for result in CauseSamples.loginResults {
            note { () throws(CommandFailure) in try LoginText.message(of: result, "acme") }
        }
        for state in CauseSamples.states {
            note { () throws(CommandFailure) in
                try LoginText.alive(state, canRenew: true, "acme")
            }
        }
        for result in CauseSamples.logoutResults {
            for scope in LogoutScope.allCases {
                let text = LogoutText(profile: "acme", scope: scope)
                note { () throws(CommandFailure) in
                    try text.message(of: result, hasRefreshToken: true)
                }
            }
        }
        for phase in RevocationPhase.allCases {
            messages.append(OutboxText.message(of: .tried([phase])))
        }
        for end in CauseSamples.requestEnds {
            note { () throws(CommandFailure) in try sent.message(of: end, seconds: 0.1) }
        }
        #expect(messages.count > 200)
        for message in Set(messages) { #expect(Self.fault(message) == nil, "\(message)") }
    }

    @Test("is a sentence in what status prints of a stored session")
    func status() throws {
        let dialect = try #require(Dialect.builtIn(named: "voltyks"))
        let records: [Result<VaultRecord?, VaultProblem>] =
            CauseSamples.vaultProblems.map { .failure($0) } + [.success(nil)]
            + SignedOutReason.allCases.flatMap { Self.records(endedFor: $0).map { .success($0) } }
        var texts: Set<String> = []
        for record in records {
            let status = SessionStatus(
                record: record,
                machine: ClientMachine(
                    configuration: SessionConfiguration(
                        profile: "acme",
                        dialect: dialect,
                        baseURL: "http://127.0.0.1:1",
                        vault: "memory",
                        logsInAtStart: false
                    ),
                    fingerprinter: Fingerprinter(salt: [UInt8](repeating: 1, count: 16)),
                    random: SeededGenerator(seed: 1)
                ),
                at: Self.moment
            )
            let text = StatusText(
                status: status,
                statistics: [:],
                places: StorageSummary(
                    record: nil,
                    key: nil,
                    statistics: nil,
                    requests: nil,
                    logs: []
                ),
                clock: ClockFormatter(utcOffsetSeconds: 0)
            )
            for line in text.lines { #expect(Self.fault(line) == nil, "\(line)") }
            texts.insert(text.lines[0])
        }
        #expect(texts.count > SignedOutReason.allCases.count)
    }

    /// A record of a session that ended, and of one whose access token outlives it.
    private static func records(endedFor reason: SignedOutReason) -> [VaultRecord] {
        var ended = VaultRecord(
            dialect: "voltyks",
            baseURL: "http://127.0.0.1:1",
            family: "",
            pair: nil,
            epoch: 2,
            savedAt: moment.wall
        )
        ended.ending = StoredEnding(family: "a", reason: reason, endedAt: moment.wall)
        var pair = PairRecord(
            generation: 1,
            tokens: TokenPair(access: AccessToken(Secret("opaque")), refresh: nil),
            times: PairTimes(
                issuedAt: moment.wall,
                refreshIssuedAt: moment.wall,
                access: Expiry(seconds: 60, source: .lifetime)
            )
        )
        pair.ending = reason
        var draining = ended
        draining.ending = nil
        draining.family = "a"
        draining.pair = pair
        return [ended, draining]
    }

    @Test("is a sentence in a forecast, of what the backend alone knows too")
    func forecasts() throws {
        for name in ["melchat", "creatist", "oauth2"] {
            let forecast = Forecast.run(
                Forecast.Question(
                    dialect: try #require(Dialect.builtIn(named: name)),
                    days: 9,
                    requestEvery: 14_400,
                    faults: [.serverError, .bareRefusal],
                    faultRate: 0.2
                ),
                causes: CauseText()
            )
            for line in forecast.lines(causes: CauseText()) where !line.isEmpty {
                #expect(line.firstMatch(of: /\b[a-z]+[A-Z]\w*/) == nil, "\(line)")
            }
        }
    }

    @Test("is a sentence where a run ends with it")
    func runs() {
        let ends: [RunEnd] =
            SignedOutReason.allCases.map { .sessionEnded($0) }
            + CauseSamples.failures.map { .loginFailed($0) } + [.abruptError]
        for end in ends {
            let failure = Self.failure { () throws(CommandFailure) in
                try end.settle(profile: "acme", state: .fresh)
            }
            if let failure { #expect(Self.fault(failure.message) == nil, "\(failure.message)") }
        }
        for state in CauseSamples.states {
            let failure = Self.failure { () throws(CommandFailure) in
                try RunEnd.timeUp.settle(profile: "acme", state: state)
            }
            if let failure { #expect(Self.fault(failure.message) == nil, "\(failure.message)") }
        }
    }

    private static func failure(
        _ body: () throws(CommandFailure) -> Void
    ) -> CommandFailure? {
        do throws(CommandFailure) { try body() } catch { return error }
        return nil
    }
}

/// Hands on what is logged.
private struct CollectingHandler: LogHandler {
    let collect: @Sendable (String) -> Void
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(_ collect: @escaping @Sendable (String) -> Void) {
        self.collect = collect
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { collect("\(event.message)") }
}
