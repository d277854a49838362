import Dialects
import Tokens

extension Fault {
    /// The answer is still true; the next use of anything in it is refused.
    package static let earlyRevocation = Fault(
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
