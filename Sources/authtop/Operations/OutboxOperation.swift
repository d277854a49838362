import Client
import Model
import Profiles

/// Sends the pending logouts to the backend, and one more if the session is to end too.
struct OutboxOperation: SessionOperation {
    let timeout = 15.0

    /// The number of logouts that have not been sent to the backend yet.
    private let owed: Int
    private let endsSession: Bool
    private var hasAsked = false
    /// The outcomes of the logouts; a failed one may be retried.
    private var ends: [RevocationPhase: Int] = [:]
    private var isHere = false

    init(owed: Int, endsSession: Bool) {
        self.owed = owed
        self.endsSession = endsSession
    }

    /// A session that is being ended, or only inspected, is not refreshed first.
    var beginning: [SessionInput] { [.setPaused(.timer)] }

    mutating func step(_ event: SessionEvent, _ session: SessionSnapshot) -> OperationStep {
        switch event.kind {
        case .revocation(let phase): ends[phase, default: 0] += 1
        case .unsaved(let problem):
            return .done("logout not sent: \(problem.message)")
        case .stateChanged:
            if let step = enter(session.state) { return step }
        default: break
        }
        let expected = owed + (hasAsked ? 1 : 0)
        return isHere && ends.values.reduce(0, +) >= expected ? .done(message) : .wait
    }

    /// Returns `nil` if only the backend's response is awaited.
    private mutating func enter(_ state: SessionState) -> OperationStep? {
        switch state {
        case .vaultUnavailable(let problem): return .done("logout not sent: \(problem.message)")
        case .signedOut: isHere = true
        case .fresh, .renewing, .retrying, .blocked, .offline, .unknown, .draining:
            guard endsSession else {
                isHere = true
                return nil
            }
            guard !hasAsked else { return nil }
            hasAsked = true
            return .send(.logOut(.this))
        case .cold, .signingIn, .signingOut: break
        }
        return nil
    }

    /// What the backend knows; the rest is determined by the record that is left.
    private var message: String {
        if ends[.pending] != nil { return "could not be notified of the logout" }
        if ends[.done] != nil { return "knows of the logout" }
        if ends[.anonymous] != nil { return "was notified of a logout, but not of which session" }
        if ends[.notKnown] != nil { return "does not know the session any more" }
        if ends[.noRefreshToken] != nil {
            return "cannot be notified of the logout: that needs the refresh token, which is gone"
        }
        if ends[.noAccessToken] != nil {
            return "cannot be notified of the logout: that needs a live access token"
        }
        if ends[.noCapturedValue] != nil {
            return "cannot be notified of the logout: a captured value that it needs is missing"
        }
        if ends[.notOffered] != nil { return "has no endpoint for a logout" }
        return ends[.expired] == nil ? "need not be notified of anything" : "the token had expired"
    }

    func outOfTime(_ session: SessionSnapshot) -> OperationEnd { .done("did not answer in time") }
}

extension ChosenProfile {
    /// Sends the backend the pending logouts of a record.
    ///
    /// - Parameters:
    ///   - record: The stored record.
    ///   - endsSession: Whether to end its session too.
    ///   - environment: The environment.
    /// - Returns: The outcome, as text.
    /// - Throws: `CommandFailure` if it could not be started.
    func revokeAtBackend(
        of record: VaultRecord,
        endingSession endsSession: Bool,
        in environment: LiveEnvironment
    ) async throws -> String {
        // Credentials that a logout does not need are neither prompted for nor requested from a
        // command.
        let names = dialect.clientCredentials
        let specs = dialect.credentials.filter { names.contains($0.name) }
        let run = OperationRun(
            chosen: self,
            credentials: try await credentials.findWithoutAsking(specs),
            printsEvents: false,
            log: nil,
            environment: environment
        )
        return try await run.message(
            of: OutboxOperation(owed: record.outbox.count, endsSession: endsSession)
        )
    }
}
