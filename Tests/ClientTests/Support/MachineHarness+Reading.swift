import Basics
import Profiles

@testable import Client
@testable import Model

/// The values that tests examine.
extension MachineHarness {
    var state: SessionState { machine.state }
    var generation: Int { machine.held?.generation ?? 0 }
    var refreshToken: RefreshToken? { machine.held?.tokens.refresh }

    /// The names of the states, in order, the first one included.
    var path: [String] {
        ["cold"]
            + events.compactMap {
                if let to = ($0.kind as? SessionStateChanged)?.to { to.name } else { nil }
            }
    }

    /// The states since the last time that the session was fresh, that included.
    var pathSinceFresh: [String] {
        let path = path
        return Array(path[(path.lastIndex(of: "fresh") ?? 0)...])
    }

    /// The plan of the next renewal that was reported last.
    var toldPlan: RenewalPlan? {
        events.reversed().lazy.compactMap { event -> RenewalPlan? in
            (event.kind as? RenewalPlanned)?.plan
        }.first
    }

    /// The snapshot after all events.
    var snapshot: SessionSnapshot { SessionSnapshot(folding: events) }

    /// The cause of each renewal.
    var started: [RefreshCause] {
        events.compactMap { event in
            (event.kind as? RefreshStarted)?.cause
        }
    }

    /// The fates of the answers after which the same token was accepted.
    var recovered: [MissingAnswer?] {
        events.compactMap { event -> MissingAnswer?? in
            (event.kind as? GraceRecovered).map(\.after)
        }
    }

    /// Since when users wait, each time that it was published.
    var toldWaits: [Moment?] {
        events.compactMap { event -> Moment?? in
            (event.kind as? TokenAwaited).map(\.since)
        }
    }

    /// Every pair that was published.
    var pairs: [PairDescription] {
        events.compactMap { event in
            (event.kind as? TokensIssued)?.pair
        }
    }

    /// The number of times that something was told.
    func count(_ name: String) -> Int {
        events.count { $0.kind.name == name }
    }

    func has(_ name: String) -> Bool {
        count(name) > 0
    }

    var signedOutReasons: [SignedOutReason] {
        events.compactMap { ($0.kind as? SignedOut)?.reason }
    }

    /// The evidence about the refresh token that was refused last.
    var refusal: RefusalEvidence? {
        events.compactMap { event in
            (event.kind as? RefreshTokenRefused)?.evidence
        }
        .last
    }

    var revocationPhases: [RevocationPhase] {
        events.compactMap { ($0.kind as? RevocationChanged)?.phase }
    }

    var erasures: [Duration] {
        events.compactMap { ($0.kind as? SessionErased)?.after }
    }

    var rejections: [ActionRejection] {
        events.compactMap {
            ($0.kind as? ActionRejected)?.rejection
        }
    }

    var failures: [(failure: RefreshFailure, attempt: Int, nextAt: Instant?)] {
        events.compactMap {
            ($0.kind as? RefreshFailed).map { ($0.failure, $0.attempt, $0.nextAt) }
        }
    }

    var requestRecords: [Exchange] {
        events.compactMap { $0.kind as? Exchange }
    }

    /// The results of experiments.
    var verdicts: [ExperimentResult] {
        events.compactMap { event in
            event.kind as? ExperimentResult
        }
    }

    /// Where each pair came from.
    var origins: [PairDescription.Origin] {
        events.compactMap {
            if let pair = ($0.kind as? TokensIssued)?.pair { pair.origin } else { nil }
        }
    }

    /// Why logins failed.
    var loginFailures: [RefreshFailure] {
        events.compactMap {
            ($0.kind as? LoginFailed)?.failure
        }
    }

    /// The outlook after the last failure.
    var outlook: RetryOutlook? { state.outlook }

    /// Seconds from now to the next try.
    var nextTryIn: Double? {
        outlook?.nextAt?.seconds(since: moment.now)
    }

    /// The pair that the vault holds.
    var storedPair: PairRecord? { vault.record?.pair }
}

extension Result where Success == TokenGrant, Failure == WaitFailure {
    var generation: Int? {
        if case .success(let grant) = self { grant.generation } else { nil }
    }

    var failure: WaitFailure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
