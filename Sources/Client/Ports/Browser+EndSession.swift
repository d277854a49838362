package import Basics
import Model
package import Profiles
import Synchronization

/// What is known of the provider's own session after a logout.
package enum ProviderSessionEnd: Sendable, Hashable {
    /// The provider has redirected the browser.
    case ended
    /// The browser was led to the provider; what it did there is not known.
    case led
    /// No browser has opened the address in time.
    case notOpened
    /// No browser can be received, for example because the profile's port is in use.
    case notListening(detail: String)
}

extension Browser {
    /// Ends the provider's own session (OpenID Connect RP-Initiated Logout 1.0); a task that is
    /// cancelled returns what is known so far.
    ///
    /// - Parameters:
    ///   - dialect: The profile's dialect.
    ///   - baseURL: The base URL of the backend.
    ///   - idToken: The last id token of the session, or `nil` if there is none.
    ///   - prompt: Called with the address of this machine, and whether a browser was started.
    /// - Returns: What is known.
    package func endSession(
        of dialect: Dialect,
        at baseURL: String,
        idToken: Secret?,
        prompt: @Sendable (_ url: String, _ isOpened: Bool) -> Void
    ) async -> ProviderSessionEnd {
        let progress = EndSessionProgress()
        do throws(AuthorizationFailure) {
            try await redirects.receive(on: dialect.endSessionPort) { port in
                let attempt = dialect.endSessionAttempt(
                    at: baseURL,
                    port: port,
                    idToken: idToken,
                    randomBytes: randomBytes
                )
                guard let attempt else { return { _ in .notFound } }
                prompt(attempt.url, open(attempt.url))
                return { target in
                    guard let step = attempt.read(target), progress.accepts(step) else {
                        return .notFound
                    }
                    return RedirectPage(step)
                }
            }
        } catch {
            guard case .notListening(let detail) = error else { return progress.end }
            return .notListening(detail: detail)
        }
        return progress.end
    }
}

/// The steps so far.
///
/// The first leads on only once, since its page contains the id token.
private final class EndSessionProgress: Sendable {
    private let state = Mutex(ProviderSessionEnd.notOpened)

    var end: ProviderSessionEnd { state.withLock { $0 } }

    func accepts(_ step: EndSessionStep) -> Bool {
        state.withLock { state in
            switch step {
            case .start where state == .notOpened: state = .led
            case .start: return false
            case .ended: state = .ended
            case .otherState: break
            }
            return true
        }
    }
}
