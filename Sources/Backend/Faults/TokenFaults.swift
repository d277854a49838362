import Basics
import Profiles

extension Fault {
    /// Rejects a live access token, like a backend that does not know it yet, or a worker whose
    /// clock is ahead.
    package static let unauthorized = Fault(
        name: "unauthorized",
        summary: "a live access token is refused (401)",
        kinds: [.protected, .feed],
        before: { exchange, _, _ in
            switch exchange.request {
            case .protected, .sessions, .endSession, .userinfo, .feed:
                exchange.answer = .unauthorized(.expired)
            case .login, .refresh, .logout, .introspection: break
            }
        }
    )

    /// Revokes the session after the response, which is still true; the next use of its tokens is
    /// rejected.
    static let earlyRevocation = Fault(
        name: "early-revocation",
        summary: "the session is revoked once it was answered",
        kinds: [.login, .refresh, .protected],
        decided: { exchange, backend, _ in
            switch exchange.answer {
            case .refreshIssued(let facts)?, .loginIssued(let facts)?:
                backend.revoke(sessionOf: facts.access, at: exchange.decidedAt)
            case .protectedContent?:
                guard case .protected(let token?) = exchange.request else { return }
                backend.revoke(sessionOf: token, at: exchange.decidedAt)
            default: break
            }
        }
    )
}

extension AuthBackend {
    fileprivate mutating func revoke(sessionOf token: AccessToken, at now: Double) {
        guard let family = issuedAccess[token]?.family else { return }
        end(family, .revoked, at: now)
    }
}

extension Fault {
    /// Omits the new refresh token from the response, although it was issued and is valid.
    static let missingRefreshToken = Fault(
        name: "missing-refresh-token",
        summary: "the new refresh token is left out",
        kinds: [.refresh],
        decided: { exchange, _, _ in
            guard case .refreshIssued(var facts)? = exchange.answer else { return }
            facts.refresh = nil
            exchange.answer = .refreshIssued(facts)
        }
    )
}
