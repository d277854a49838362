import Dialects
import Lifecycle

/// Notifies the backend of logouts that it does not know of, and of one more where the session is
/// to end with it.
struct OutboxOperation: SessionOperation {
    static let timeout = 15.0

    /// How many logouts the backend has not been notified of yet.
    private let owed: Int
    private let endsSession: Bool
    private var hasAsked = false
    /// What became of each of them; one that failed may be tried again.
    private var ends: [RevocationPhase: Int] = [:]
    private var isHere = false

    init(owed: Int, endsSession: Bool) {
        self.owed = owed
        self.endsSession = endsSession
    }

    /// What ends now is not renewed before, and neither is what is only looked at.
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

    /// `nil` where it is only waited for what the backend says.
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

    /// What the backend knows; the rest is said by what is left in the record.
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
        if ends[.notOffered] != nil { return "has no endpoint for a logout" }
        return ends[.expired] == nil ? "need not be notified of anything" : "the token had ended"
    }

    func outOfTime(_ session: SessionSnapshot) -> OperationEnd { .done("did not answer in time") }
}

extension ChosenProfile {
    /// Notifies the backend what a record says that it has not been notified of yet.
    ///
    /// - Parameters:
    ///   - record: What is stored.
    ///   - endsSession: Whether its session ends with it.
    ///   - environment: The world.
    /// - Returns: What became of it, as text.
    /// - Throws: `CommandFailure` where it could not be begun.
    func revokeAtBackend(
        of record: VaultRecord,
        endingSession endsSession: Bool,
        in environment: LiveEnvironment
    ) async throws -> String {
        // Nobody is asked, and no program is run, for what a logout does not need.
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
