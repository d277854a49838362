import Client
import Model
import Profiles

extension ChosenProfile {
    /// Sends the backend the pending logouts of the stored record.
    ///
    /// - Parameters:
    ///   - endsSession: Whether to end its session too.
    ///   - environment: The environment.
    /// - Returns: The outcome, as text.
    /// - Throws: `CommandFailure` if it could not be started.
    func revokeAtBackend(
        endingSession endsSession: Bool,
        in environment: LiveEnvironment
    ) async throws -> String {
        let run = OperationRun(
            chosen: self,
            credentials: try await credentialsOfLogout(),
            printsEvents: false,
            log: nil,
            environment: environment
        )
        let outcome = try await run.follow(within: 15, isPaused: true) { store in
            await store.sendOutbox(endingSession: endsSession)
        }
        return outcome.map { OutboxText.message(of: $0.value) } ?? ""
    }

    /// Credentials that a logout does not need are neither prompted for nor requested from a
    /// command.
    func credentialsOfLogout() async throws -> FixedCredentials {
        let names = dialect.clientCredentials
        return try await credentials.findWithoutAsking(
            dialect.credentials.filter { names.contains($0.name) }
        )
    }
}

/// The backend's knowledge of logouts, as text; the rest is determined by the record that is left.
enum OutboxText {
    static func message(of result: OutboxResult) -> String {
        switch result {
        case .vaultUnavailable(let problem), .unsaved(let problem):
            "logout not sent: \(problem.message)"
        case .cancelled: "did not answer in time"
        case .tried(let outcomes):
            order.first { outcomes.contains($0.phase) }?.text ?? "need not be notified of anything"
        }
    }

    /// The worst that is known comes first.
    private static let order: [(phase: RevocationPhase, text: String)] = [
        (.pending, "could not be notified of the logout"),
        (.done, "knows of the logout"),
        (.anonymous, "was notified of a logout, but not of which session"),
        (.notKnown, "does not accept the token of the logout, which may have ended before"),
        (
            .noRefreshToken,
            "cannot be notified of the logout: that needs the refresh token, which is gone"
        ),
        (.noAccessToken, "cannot be notified of the logout: that needs a live access token"),
        (
            .noCapturedValue,
            "cannot be notified of the logout: a captured value that it needs is missing"
        ),
        (.notOffered, "has no endpoint for a logout"),
        (.expired, "the token had expired"),
    ]
}
