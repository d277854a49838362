package import Basics

/// One event of a session in the history.
package struct HistoryEntry: Sendable, Equatable, Numbered {
    /// Counts from 1 over the run.
    package let number: Int
    package let at: Moment
    /// The n-th login of the run; 0 before the first.
    package let login: Int
    /// The n-th pair since that login; 0 where there was none.
    package let generation: Int
    package let kind: SessionEvent.Kind
}

/// Everything that happened to a session, but for what is in a log of its own or happens all the
/// time: successful requests, messages of the feed, measurements of a clock.
package struct History: Sendable, Equatable {
    package static let limit = 2_000

    package private(set) var entries = BoundedLog<HistoryEntry>(limit: limit)
    /// How many entries there have been.
    package private(set) var count = 0

    mutating func note(_ event: SessionEvent) {
        guard let kind = Self.kept(event.kind) else { return }
        count += 1
        entries.insert(
            HistoryEntry(
                number: count,
                at: event.moment,
                login: event.login,
                generation: event.generation,
                kind: kind
            )
        )
    }

    /// What is kept of a kind, or `nil` if it is not for the history.
    private static func kept(_ kind: SessionEvent.Kind) -> SessionEvent.Kind? {
        switch kind {
        // Events of their own say when a session ends or is about to.
        case .stateChanged(_, .signedOut, _), .stateChanged(_, .draining, _): return nil
        // The change of state says it, or the renewal's end.
        case .refreshStarted, .renewalPlanned(.underWay): return nil
        case .request(var record):
            guard record.isTrouble, !record.why.isExperiment else { return nil }
            record.evidence = nil
            return .request(record)
        case .tokensIssued(var pair):
            // A server decides how long they are; the log of generations has them while it may.
            pair.access.claims = [:]
            pair.refresh?.claims = [:]
            return .tokensIssued(pair)
        case .sessions(.listed): return nil
        case .feed(.receivesAfterLogout), .feed(.missing), .observed(.omitted),
            .observed(.misdirected):
            return kind
        case .observed(.finding(let finding)):
            // What happens again, or is proved better, is in the finding itself.
            return finding.count == 1 && finding.firstAt == finding.lastAt ? kind : nil
        case .loginStarted, .authorizationRequested, .authorizationGranted, .idTokenChecked,
            .loginFailed, .capturesChanged, .stateChanged, .refreshSucceeded,
            .refreshFailed, .renewalPlanned, .expiryMismatch, .userChanged, .wake, .wallStep,
            .probe,
            .noProgress, .protocolError, .graceRecovered, .adopted, .journalRecovered, .unsaved,
            .saved, .circuitBreakerOpened, .paused, .resumed, .refreshTokenRefused, .draining,
            .signedOut, .endedBefore, .erased, .revocation, .sessions, .actionRejected, .dropped,
            .experimentStarted, .experimentEnded, .clockShifted, .faultsChanged, .secondOpinion:
            return kind
        default: return nil
        }
    }
}

extension RequestRecord {
    /// Whether a protected request was not answered, or refused; what becomes of the others is an
    /// event of its own.
    fileprivate var isTrouble: Bool {
        guard purpose == .protected, let status else { return purpose == .protected }
        return status >= 400
    }
}
