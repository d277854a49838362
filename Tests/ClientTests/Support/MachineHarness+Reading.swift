import Basics
import Profiles

@testable import Client
@testable import Model

/// What a test looks at.
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

    /// What was told last of the next renewal.
    var toldPlan: RenewalPlan? {
        events.reversed().lazy.compactMap { event -> RenewalPlan? in
            (event.kind as? RenewalPlanned)?.plan
        }.first
    }

    /// What the events come to.
    var snapshot: SessionSnapshot { SessionSnapshot(folding: events) }

    /// What started each renewal.
    var started: [RefreshCause] {
        events.compactMap { event in
            (event.kind as? RefreshStarted)?.cause
        }
    }

    /// What the answers had become after which the same token was accepted.
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

    /// How often something was told.
    func count(_ name: String) -> Int {
        events.count { $0.kind.name == name }
    }

    func has(_ name: String) -> Bool {
        count(name) > 0
    }

    var signedOutReasons: [SignedOutReason] {
        events.compactMap { ($0.kind as? SignedOut)?.reason }
    }

    /// What was known of the refresh token that was refused last.
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

    /// What experiments showed.
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

    /// What the state says of the last failure.
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
