import Basics
import Model
import Profiles

/// The list of the user's sessions, requested like any protected resource: at most two attempts.
extension SessionStore {
    func exchangeProtected(
        _ id: OperationID,
        _ call: ProtectedCall,
        _ token: AccessToken,
        isRetry: Bool
    ) async {
        registerSecrets { $0.register(token.secret, at: $1) }
        let request: WireRequest?
        var shownTarget: String?
        switch call {
        case .request:
            request = dialect.protectedRequest(token, captured: captured, isRetry: isRetry)
        case .sessions: request = dialect.sessionsRequest(token, captured: captured)
        case .endSession(let id):
            request = dialect.endSessionRequest(
                token,
                id: exactID(of: id),
                captured: captured
            )
            shownTarget = dialect.endSessionRequest(token, id: id)?
                .shownTarget(naming: environment.fingerprinter)
        case .custom(let custom):
            return step(.protectedEnded(id, await exchangeCustom(custom, token, isRetry: isRetry)))
        }
        guard let request else {
            return step(.protectedEnded(id, unsent(.noEndpoint(dialect: dialect.name))))
        }
        var exchange = await exchangeCapturing(request) {
            [dialect = sharedDialect] answer, secrets in
            call == .sessions
                ? dialect.value.decideSessions(answer, hiding: secrets)
                : dialect.value.decideProtected(answer)
        }.exchange
        if let shownTarget { exchange.entry.target = shownTarget }
        if case .answered(.listed(let sessions)) = exchange.outcome { registerIDs(of: sessions) }
        step(.protectedEnded(id, exchange))
    }

    /// Sends a request with the access token, and reads the captured values in an answer that
    /// succeeds.
    ///
    /// - Returns: The exchange, and the response if there was one.
    func exchangeCapturing(
        _ request: WireRequest,
        read: @Sendable (WireResponse, KnownSecrets) -> Decision<ProtectedResponse>
    ) async -> (exchange: CompletedExchange<ProtectedResponse>, response: WireResponse?) {
        let answered = await exchange(request, connection: .shared) { answer, secrets in
            let decision = read(answer, secrets)
            return Decision((response: answer, meaning: decision.meaning), by: decision.rule)
        }
        var exchange = answered.map { $0.meaning }
        guard case .answered((let response, _)) = answered.outcome else { return (exchange, nil) }
        if (200..<300).contains(response.status) {
            exchange.captured = dialect.captured(in: response)
            let secrets = CapturedValues(exchange.captured.values).secrets
            for secret in secrets { registerSecrets { $0.register(secret, at: $1) } }
        }
        return (exchange, response)
    }
}
