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
        if isRefusal || login.rejected.contains(status), !ResponseClass.isNeverTerminal(status) {
            return .rejected(status: status, message: message)
        }
        return .failed(ResponseFailure(response, body, to: login.request, message: message))
    }

    private func issued(
        _ response: WireResponse,
        _ json: JSONValue,
        keeping kept: Secret?,
        hiding secrets: KnownSecrets
    ) -> LoginResponse {
        do throws(TokenParser.Unreadable) {
            var tokens = try login.reading.tokens(
                in: response,
                json,
                lifetimes: lifetimes,
                startsRefreshLife: true,
                hiding: secrets
            )
            if tokens.refresh == nil { tokens.refresh = kept.map(RefreshToken.init) }
            return .issued(withSubject(tokens, hiding: secrets))
        } catch {
            return .failed(.undecodable(status: response.status, message: error.message))
        }
    }

    /// Returns the backend's message in a response that may contain tokens, at the places of this
    /// exchange or of the other.
    func message(
        in body: ResponseBody,
        _ response: WireResponse,
        hiding secrets: KnownSecrets
    ) -> String? {
        let readings = [login.reading, refresh?.reading].compactMap(\.self)
        let tokens = readings.flatMap { $0.access + $0.refresh }.compactMap { place in
            place.value(in: response, body.json ?? .null)?.stringValue
        }
        let all = secrets.adding(tokens.map(Secret.init))
        return ServerMessage.find(in: body, at: errorMessagePaths, hiding: all, of: tokens)
    }
}
