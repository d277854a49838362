package import Basics

/// Parsing of responses to a login.
extension Dialect {
    /// Parses a response; `credentials` are those that were sent, by name, and `secrets` those that
    /// the backend may repeat.
    package func readLogin(
        _ response: WireResponse,
        credentials: [String: Secret] = [:],
        hiding secrets: KnownSecrets = .none
    ) -> LoginResponse {
        decideLogin(response, credentials: credentials, hiding: secrets).meaning
    }

    /// Parses a response, and returns what decided its meaning, too.
    package func decideLogin(
        _ response: WireResponse,
        credentials: [String: Secret] = [:],
        hiding secrets: KnownSecrets = .none
    ) -> Decision<LoginResponse> {
        let status = response.status
        let body = ResponseBody(response, by: recognition)
        if let meaning = deviceMeaning(of: body, in: response, hiding: secrets) {
            if case .authorizationPending = meaning { return Decision(meaning, by: .pending) }
            return Decision(meaning, by: .status)
        }
        if ResponseClass(status: status) == .success,
            let json = login.reading.readable(body, response), !login.reading.saysFailure(json)
        {
            let kept = login.kept.flatMap { credentials[$0] }
            return issued(response, json, keeping: kept, hiding: secrets)
        }
        let message = message(in: body, response, hiding: secrets)
        let saysFailure = body.json.map(login.reading.saysFailure) ?? false
        let isRefusal = saysFailure && ResponseClass(status: status) == .success
        let isNeverTerminal = ResponseClass.isNeverTerminal(status)
        if isRefusal || login.rejected.contains(status), !isNeverTerminal {
            return Decision(
                .rejected(status: status, message: message),
                by: isRefusal ? .failureFlag : .rejected
            )
        }
        let failure = ResponseFailure(response, body, to: login.request, message: message)
        let isSuccess = ResponseClass(status: status) == .success
        return Decision(
            .failed(failure),
            by: isNeverTerminal ? .neverTerminal : isSuccess ? .unreadable : .unlisted
        )
    }

    /// Returns the meaning of an error of RFC 8628 section 3.5, with any status (GitHub sends 200), or
    /// `nil` if the body has none, or a token.
    private func deviceMeaning(
        of body: ResponseBody,
        in response: WireResponse,
        hiding secrets: KnownSecrets
    ) -> LoginResponse? {
        guard usesDeviceCode,
            login.reading.access.string(in: response, body.json ?? .null) == nil
        else { return nil }
        switch body.json?.value(at: "error")?.stringValue {
        case "authorization_pending": return .authorizationPending(slowsDown: false)
        case "slow_down": return .authorizationPending(slowsDown: true)
        case "expired_token": return .authorizationEnded(.expired)
        case "access_denied":
            let text = body.json?.value(at: "error_description")?.stringValue
            let description = text.map { ServerMessage.bounded($0, hiding: secrets) }
            return .authorizationEnded(.denied(description: description))
        default: return nil
        }
    }

    private func issued(
        _ response: WireResponse,
        _ json: JSONValue,
        keeping kept: Secret?,
        hiding secrets: KnownSecrets
    ) -> Decision<LoginResponse> {
        do throws(TokenParser.Unreadable) {
            var tokens = try login.reading.tokens(
                in: response,
                json,
                lifetimes: lifetimes,
                startsRefreshLife: true,
                hiding: secrets
            )
            if tokens.refresh == nil { tokens.refresh = kept.map(RefreshToken.init) }
            tokens.captured = captured(in: response, json)
            tokens.statements.scopes = tokens.statements.scopes ?? requestedScopes
            return Decision(.issued(withSubject(tokens, hiding: secrets)), by: .success)
        } catch {
            let failure = unreadable(error, response, json, hiding: secrets)
            return Decision(.failed(failure), by: .unreadable)
        }
    }
}
