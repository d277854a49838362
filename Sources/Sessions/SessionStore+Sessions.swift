import Dialects
package import Lifecycle
import Tokens

/// The user's other sessions: calls like any protected request, sent twice at most.
extension SessionStore {
    /// Ends in `listed` when all is well.
    package func sessions() async -> RequestEnd {
        await send(.sessions, why: "you")
    }

    /// Ends in `accepted` when all is well.
    package func endSession(_ id: String) async -> RequestEnd {
        await send(.endSession(id), why: "you")
    }

    func exchangeProtected(_ id: OperationID, _ call: ProtectedCall, _ token: AccessToken) async {
        let request: WireRequest?
        switch call {
        case .request: request = dialect.protectedRequest(token)
        case .sessions: request = dialect.sessionsRequest(token)
        case .endSession(let session): request = dialect.endSessionRequest(token, id: session)
        case .custom(let custom):
            return step(.protectedEnded(id, await exchangeCustom(custom, token)))
        }
        guard let request else {
            return step(
                .protectedEnded(id, unsent(words: "\(dialect.name) has no such endpoint"))
            )
        }
        let exchange = await exchange(
            request,
            connection: .shared,
            read: call == .sessions ? dialect.readSessionsAnswer : dialect.readProtected
        )
        step(.protectedEnded(id, exchange))
    }
}
