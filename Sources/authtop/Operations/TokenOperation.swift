import Basics
import Client
import Model
import Profiles

extension OperationRun {
    /// Obtains an access token that no renewal is due for, if a renewal can bring one.
    func token() async throws -> AccessToken? {
        let profile = chosen.name
        // A login needs nothing from the user.
        let canLogIn = credentials.problems.isEmpty && !chosen.dialect.needsBrowser
        let deadline = environment.time.now + .seconds(35)
        let outcome = try await follow(within: 35) { store throws(CommandFailure) in
            switch await store.state(.attempted) {
            case .vaultUnavailable(let problem): throw .vaultUnavailable(problem, profile)
            case .signedOut(let reason):
                guard canLogIn else { throw .signedOut(await store.reason(reason), profile) }
                _ = try LoginText.message(of: await store.logIn(), profile)
                await store.state(.attempted)
            case .cold, .signingIn, .signingOut, .renewing, .fresh, .retrying, .blocked, .expired,
                .unknown, .draining:
                break
            }
            let token = try await store.token(by: deadline, profile)
            // A pair that is lost ends the session.
            if let problem = await store.saved() { throw .unsaved(problem, profile) }
            return token
        }
        return outcome?.value
    }
}

extension SessionStore {
    fileprivate func token(
        by deadline: Instant,
        _ profile: String
    ) async throws(CommandFailure) -> AccessToken {
        do throws(WaitFailure) {
            return try await freshToken(by: deadline).token
        } catch {
            throw CommandFailure(error, after: state.outlook, profile)
        }
    }
}

extension CommandFailure {
    /// - Parameters:
    ///   - failure: Why there is no token.
    ///   - outlook: The last failure of a renewal, or `nil` if it is not to be named.
    ///   - profile: The name of the profile.
    init(_ failure: WaitFailure, after outlook: RetryOutlook? = nil, _ profile: String) {
        switch failure {
        case .signedOut(let reason): self = .signedOut(reason, profile)
        case .vaultUnavailable(let problem): self = .vaultUnavailable(problem, profile)
        case .notRenewed, .timedOut, .cancelled, .circuitBreakerOpened:
            self = .noToken(after: outlook, profile)
        }
    }
}
