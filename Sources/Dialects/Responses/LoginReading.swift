package import Tokens

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
        let body = ResponseBody(response)
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
            return Decision(.issued(withSubject(tokens, hiding: secrets)), by: .success)
        } catch {
            return Decision(
                .failed(.undecodable(status: response.status, message: error.message)),
                by: .unreadable
            )
        }
    }

    /// Returns the backend's message in a response that may contain tokens, at the places of this
    /// exchange or of the other.
    func message(
        in body: ResponseBody,
        _ response: WireResponse,
        hiding secrets: KnownSecrets
    ) -> String? {
        let tokens = tokenTexts(in: response, body)
        let all = secrets.adding(tokens.map(Secret.init))
        return ServerMessage.find(in: body, at: errorMessagePaths, hiding: all, of: tokens)
    }
}
