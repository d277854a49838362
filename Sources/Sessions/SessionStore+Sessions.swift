import Dialects
package import Lifecycle
import Tokens

/// The list of the user's sessions, requested like any protected resource: at most two attempts.
extension SessionStore {
    /// Requests the list of sessions; returns `listed` on success.
    package func sessions() async -> RequestEnd {
        await send(.sessions, why: .person)
    }

    /// Ends a session; returns `accepted` on success.
    package func endSession(_ id: String) async -> RequestEnd {
        await send(.endSession(id), why: .person)
    }

    func exchangeProtected(
        _ id: OperationID,
        _ call: ProtectedCall,
        _ token: AccessToken,
        isRetry: Bool
    ) async {
        note { $0.note(token.secret, at: $1) }
        let request: WireRequest?
        var shownTarget: String?
        switch call {
        case .request: request = dialect.protectedRequest(token, isRetry: isRetry)
        case .sessions: request = dialect.sessionsRequest(token)
        case .endSession(let id):
            request = dialect.endSessionRequest(token, id: exactID(of: id))
            shownTarget = dialect.endSessionRequest(token, id: id)?.fullTarget
        case .custom(let custom):
            return step(.protectedEnded(id, await exchangeCustom(custom, token, isRetry: isRetry)))
        }
        guard let request else {
            return step(.protectedEnded(id, unsent(.noEndpoint(dialect: dialect.name))))
        }
        var exchange = await exchange(request, connection: .shared) { [dialect] answer, secrets in
            call == .sessions
                ? dialect.decideSessions(answer, hiding: secrets)
                : dialect.decideProtected(answer)
        }
        if let shownTarget { exchange.wire.target = shownTarget }
        if case .answered(.listed(let sessions)) = exchange.outcome { noteIDs(of: sessions) }
        step(.protectedEnded(id, exchange))
    }
}
