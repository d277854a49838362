import Basics
import Model
import Profiles

/// The effects of a backend's faults on one request and its response.
///
/// All random draws use the run's generator, so that the run can be replayed.
extension Fault {
    /// Acts before the backend sees the request: delays it, or answers in the backend's place.
    func act(before exchange: inout BackendExchange, drawing random: inout SeededGenerator) {
        switch effect {
        case .loseRequest: exchange.delivery = .dropped
        case .answer(let answer):
            exchange.response = response(answer, drawing: &random)
        case .delayAnswer:
            let seconds = value(.seconds) ?? random.uniform(0.2...5)
            if Bool.random(using: &random) {
                exchange.delayBefore += seconds
            } else {
                exchange.delayAfter += seconds
            }
        case .refuseAccess, .refuseAccessAtOnce:
            switch exchange.request {
            case .protected, .sessions, .endSession, .userinfo, .feed:
                exchange.answer = .unauthorized(.expired)
            case .login, .refresh, .logout, .introspection: break
            }
        case .refuseRefresh: exchange.answer = .refreshRefused(.revoked)
        case .breach, .send, .loseAnswer, .cutAnswer, .replaceAnswer, .spoilStatus, .shiftDate,
            .removeRefreshToken, .shortenLife, .revokeSession, .refuseFeed, .closeFeedAtOnce,
            .closeFeed, .silenceFeed, .repeatMessage, .closeFeedAtExpiry:
            break
        }
    }

    private func response(
        _ answer: FaultEffect.Answer,
        drawing random: inout SeededGenerator
    ) -> WireResponse {
        switch answer {
        case .status(let usual):
            let statuses = value(.status).map { [Int($0)] } ?? usual
            let index =
                statuses.count > 1 ? Int.random(in: 0..<statuses.count, using: &random) : 0
            return WireResponse(status: statuses[index])
        case .limit:
            var headers: [WireHeader] = []
            if let seconds = value(.seconds) {
                headers.append(WireHeader("Retry-After", String(Int(seconds.rounded(.up)))))
            } else if Int.random(in: 0..<4, using: &random) > 0 {
                let seconds = Int.random(in: 1...60, using: &random)
                headers.append(WireHeader("Retry-After", String(seconds)))
            }
            return WireResponse(status: 429, headers: headers)
        case .page:
            return WireResponse(
                status: 200,
                headers: [WireHeader("Content-Type", "text/html")],
                body: Array("<!DOCTYPE html><title>Welcome</title>".utf8)
            )
        }
    }

    /// Acts after the backend has decided and its state has changed: changes the decision that is
    /// reported.
    func act(decided exchange: inout BackendExchange, by backend: inout AuthBackend) {
        switch (effect, exchange.answer) {
        case (.removeRefreshToken, .refreshIssued(var facts)?):
            facts.refresh = nil
            exchange.answer = .refreshIssued(facts)
        case (.revokeSession, .refreshIssued(let facts)?),
            (.revokeSession, .loginIssued(let facts)?):
            backend.revoke(sessionOf: facts.access, at: exchange.decidedAt)
        case (.revokeSession, .protectedContent?):
            guard case .protected(let token?) = exchange.request else { return }
            backend.revoke(sessionOf: token, at: exchange.decidedAt)
        default: break
        }
    }

    /// Acts after the response is written: changes it, or how it is delivered.
    func act(written exchange: inout BackendExchange, drawing random: inout SeededGenerator) {
        switch effect {
        case .loseAnswer:
            if exchange.delivery == .whole { exchange.delivery = .dropped }
        case .replaceAnswer:
            let drawn = Bool.random(using: &random) ? 502 : 504
            exchange.response = WireResponse(status: value(.status).map { Int($0) } ?? drawn)
        case .spoilStatus:
            let drawn = Bool.random(using: &random) ? 500 : 503
            guard exchange.delivery == .whole, case .refreshIssued? = exchange.answer else {
                return
            }
            exchange.response?.status = value(.status).map { Int($0) } ?? drawn
            exchange.response?.statusLine = nil
        case .cutAnswer:
            guard exchange.delivery == .whole, let body = exchange.response?.body else { return }
            let last = max(0, body.count - 1)
            exchange.delivery = .cut(after: Int.random(in: 0...last, using: &random))
        case .shiftDate:
            exchange.clockSkew += value(.seconds) ?? random.uniform(-3600...3600)
        case .breach, .send, .loseRequest, .answer, .refuseAccess, .refuseAccessAtOnce,
            .refuseRefresh,
            .delayAnswer, .removeRefreshToken, .shortenLife, .revokeSession, .refuseFeed,
            .closeFeedAtOnce, .closeFeed, .silenceFeed, .repeatMessage, .closeFeedAtExpiry:
            break
        }
    }
}

extension BackendPolicy {
    /// Returns the policy without the rules that faults break.
    func under(_ faults: [Fault]) -> BackendPolicy {
        var policy = self
        for case .breach(let rule) in faults.map(\.effect) {
            switch rule {
            case .rotation: policy.rotation = .keeps
            case .singleUse: policy.reuse = .none
            case .audience: policy.statesAudience = false
            case .scope: policy.statesScope = false
            // They are not about the tokens of a session.
            case .nonce, .resource, .issuer, .codeChallenge, .registration: break
            }
        }
        return policy
    }
}

extension AuthBackend {
    fileprivate mutating func revoke(sessionOf token: AccessToken, at now: Double) {
        guard let family = issuedAccess[token]?.family else { return }
        end(family, .revoked, at: now)
    }
}
