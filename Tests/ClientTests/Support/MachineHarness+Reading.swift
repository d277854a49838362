import Basics
import Client
import Model
import Profiles

/// What a test looks at.
extension MachineHarness {
    var state: SessionState { machine.state }
    var generation: Int { machine.held?.generation ?? 0 }
    var refreshToken: RefreshToken? { machine.held?.tokens.refresh }

    /// The names of the states, in order, the first one included.
    var path: [String] {
        ["cold"]
            + events.compactMap {
                if case .stateChanged(_, let to, _) = $0.kind { to.name } else { nil }
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
            if case .renewalPlanned(let plan) = event.kind { plan } else { nil }
        }.first
    }

    /// What the events come to.
    var snapshot: SessionSnapshot { SessionSnapshot(folding: events) }

    /// What started each renewal.
    var started: [RefreshCause] {
        events.compactMap { event in
            if case .refreshStarted(_, let cause, _) = event.kind { cause } else { nil }
        }
    }

    /// What the answers had become after which the same token was accepted.
    var recovered: [MissingAnswer?] {
        events.compactMap { event -> MissingAnswer?? in
            if case .graceRecovered(let missing) = event.kind { .some(missing) } else { nil }
        }
    }

    /// Since when users wait, each time that it was published.
    var toldWaits: [Moment?] {
        events.compactMap { event -> Moment?? in
            if case .tokenAwaited(let since) = event.kind { .some(since) } else { nil }
        }
    }

    /// Every pair that was published.
    var pairs: [PairDescription] {
        events.compactMap { event in
            if case .tokensIssued(let pair) = event.kind { pair } else { nil }
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
        events.compactMap { if case .signedOut(let reason) = $0.kind { reason } else { nil } }
    }

    /// What was known of the refresh token that was refused last.
    var refusal: RefusalEvidence? {
        events.compactMap { event in
            if case .refreshTokenRefused(let evidence) = event.kind { evidence } else { nil }
        }
        .last
    }

    var revocationPhases: [RevocationPhase] {
        events.compactMap { if case .revocation(let phase) = $0.kind { phase } else { nil } }
    }

    var erasures: [Duration] {
        events.compactMap { if case .erased(let duration) = $0.kind { duration } else { nil } }
    }

    var rejections: [ActionRejection] {
        events.compactMap {
            if case .actionRejected(let rejection) = $0.kind { rejection } else { nil }
        }
    }

    var failures: [(failure: RefreshFailure, attempt: Int, nextAt: Instant?)] {
        events.compactMap {
            guard case .refreshFailed(_, let failure, let attempt, let nextAt) = $0.kind else {
                return nil
            }
            return (failure, attempt, nextAt)
        }
    }

    var requestRecords: [RequestRecord] {
        events.compactMap { if case .request(let record) = $0.kind { record } else { nil } }
    }

    /// What experiments showed.
    var verdicts: [ExperimentResult] {
        events.compactMap { event in
            if case .experimentEnded(let result) = event.kind { result } else { nil }
        }
    }

    /// Where each pair came from.
    var origins: [PairDescription.Origin] {
        events.compactMap {
            if case .tokensIssued(let pair) = $0.kind { pair.origin } else { nil }
        }
    }

    /// Why logins failed.
    var loginFailures: [RefreshFailure] {
        events.compactMap {
            if case .loginFailed(let failure) = $0.kind { failure } else { nil }
        }
    }

    /// What the state says of the last failure.
    var outlook: RetryOutlook? { state.outlook }

    /// Seconds from now to the next try.
    var nextTryIn: Double? {
        outlook?.nextAt?.seconds(since: moment.now)
    }

    /// The pair that the vault holds.
    var storedPair: StoredPair? { vault.record?.pair }
}

extension Result where Success == TokenGrant, Failure == WaitFailure {
    var generation: Int? {
        if case .success(let grant) = self { grant.generation } else { nil }
    }

    var failure: WaitFailure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
