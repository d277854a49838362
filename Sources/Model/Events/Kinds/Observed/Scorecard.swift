package import Basics

/// The behavior of an app, or of a backend, in an experiment: one line for each expectation.
///
/// It is reported again, with the same number, whenever a line changes.
package struct Scorecard: Sendable, Hashable, Codable, LogEntry {
    /// An expectation of the behavior of an app or, in an experiment of authtop's own client, of a
    /// backend.
    package enum Check: String, Sendable, Hashable, Codable, CaseIterable {
        /// One refresh, within seconds of the refusal.
        case renewsOnce
        /// Each refused request comes again with a newer token.
        case repeats
        /// It does not log in again, nor out.
        case keepsSession
        /// A refused dial comes again with a newer token.
        case dialsWithNewer
        /// The same refresh token is sent again, as the app cannot know that it is spent.
        case asksAgain
        /// Not more often than five times.
        case asksRarely
        /// A session is given up only once its refresh token was refused.
        case endsOnlyIfRefused
        /// No second refresh with a token whose refresh is in progress.
        case waitsForRefresh
        /// No request presents an access token that has ended.
        case sendsNothingExpired
        /// No refresh follows one that was refused for good.
        case stopsRefreshing
        /// No token of an ended session is sent.
        case stopsSending
        case closesSockets
        /// As long as `Retry-After` says.
        case waitsAsTold
        /// Tries do not follow each other at once.
        case backsOff
        /// A later refresh brings tokens.
        case recovers
        /// A socket that was closed is dialed again.
        case dialsAgain
        /// The new socket presents the newest token.
        case dialsWithNewest
        /// A silent socket is given up.
        case noticesSilence
        case renewsBeforeEnd
        /// None of the tokens is refused.
        case isNotRefused
        /// The refresh token stays when an answer brings none.
        case keepsOldToken
        /// It does not renew sooner than it has to.
        case renewsNoSooner
        /// No bug that is certain was found in what the experiment touched.
        case showsNoBug

        /// An access token that has expired is refused.
        case refusesExpired
        /// An access token with another character in it is refused.
        case refusesCorrupted
        /// A refresh token that was replaced is refused, if need be with its session.
        case refusesReplaced
        /// The session outlives two refreshes at once.
        case survivesTwo
        /// What a lost answer brought comes again.
        case answersAgain
        /// The feed is soon back, with all messages.
        case bringsFeedBack
    }

    package enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
        /// It can still be either.
        case open
        case passed
        case failed
        /// What was sent and answered does not show it.
        case notReached
    }

    package struct Line: Sendable, Hashable, Codable {
        package var check: Check
        package var verdict: Verdict
        /// The exchanges that prove it.
        package var exchanges: [Int]
        /// What the backend has done in an experiment of authtop's own client.
        package var shown: ExperimentVerdict?

        package init(
            _ check: Check,
            _ verdict: Verdict,
            exchanges: [Int] = [],
            shown: ExperimentVerdict? = nil
        ) {
            self.check = check
            self.verdict = verdict
            self.exchanges = exchanges
            self.shown = shown
        }
    }

    /// Counts the experiments of a run, from 1.
    package var number: Int
    package var experiment: Fault
    package var lines: [Line]
    package var startedAt: Moment
    /// The exchanges that it changed, the newest of them.
    package var injected: [Int]
    /// When it is judged for good, or `nil` if that is not known.
    package var endsAt: Instant?
    /// Whether nothing more changes.
    package var isOver: Bool
    /// The test that was in progress.
    package var mark: String?

    package static let injectedLimit = 32

    package init(
        number: Int,
        experiment: Fault,
        lines: [Line] = [],
        startedAt: Moment,
        injected: [Int] = [],
        endsAt: Instant? = nil,
        isOver: Bool = false,
        mark: String? = nil
    ) {
        self.number = number
        self.experiment = experiment
        self.lines = lines
        self.startedAt = startedAt
        self.injected = injected.suffix(Self.injectedLimit)
        self.endsAt = endsAt
        self.isOver = isOver
        self.mark = mark
    }

    /// Failed with a failed line; passed if it is over, and the traffic showed something.
    package var verdict: Verdict {
        let verdicts = lines.map(\.verdict)
        if verdicts.contains(.failed) { return .failed }
        guard isOver else { return .open }
        return lines.contains { $0.verdict == .passed && $0.check != .showsNoBug }
            ? .passed : .notReached
    }
}

extension Scorecard: ObservedEvent {
    package static let name = "scorecard"
    package static let summary = "An experiment with the app has begun, or has shown something."
    package static let fields: [EventField<Scorecard>] = [
        .integer("number", "The n-th experiment of the run; the same each time.") {
            $0.number
        },
        .text("experiment", "Its name and parameter, such as `blip:503x2`.") {
            $0.experiment.description
        },
        .choice("verdict", "What it has shown so far.") { $0.verdict },
        .list("lines", "What the app should do: the check, its verdict, and exchanges.") {
            $0.lines.map(\.json)
        },
        .list("injected", "The exchanges that it changed, the newest of them.") {
            $0.injected.map { .integer(Int64($0)) }
        },
        .flag("over", "Whether nothing more changes.") { $0.isOver },
        .text("mark", "The test that was running.", isOptional: true) { $0.mark },
    ]

    package var kept: (any EventKind)? { nil }

    package func apply(to book: inout SessionBook, in event: SessionEvent) {
        book.scorecards.insert(self)
    }
}

extension Scorecard.Line {
    fileprivate var json: JSONValue {
        [
            "check": .string(check.rawValue), "verdict": .string(verdict.rawValue),
            "exchanges": .array(exchanges.map { .integer(Int64($0)) }),
        ]
    }
}
