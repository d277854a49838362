package import Tokens

/// Parsing of responses to a refresh, which alone can end a session.
extension Dialect {
    /// Parses a response; `secrets` are those that the backend may repeat.
    package func readRefresh(
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> RefreshResponse {
        guard let refresh else {
            let message = "the dialect \(name) has no refresh"
            return .failed(.clientFault(status: response.status, message: message))
        }
        let body = ResponseBody(response)
        let isSuccess = ResponseClass(status: response.status) == .success
        if isSuccess, !isRefusal(body, by: refresh, response) {
            return issued(response, body, by: refresh, hiding: secrets)
        }
        return declined(response, body, by: refresh, hiding: secrets)
    }

    /// Returns the meaning of a response without tokens.
    private func declined(
        _ response: WireResponse,
        _ body: ResponseBody,
        by refresh: RefreshExchange,
        hiding secrets: KnownSecrets
    ) -> RefreshResponse {
        let status = response.status
        let message = message(in: body, response, hiding: secrets)
        let failure = ResponseFailure(response, body, to: refresh.request, message: message)
        if ResponseClass.isNeverTerminal(status) { return .failed(failure) }
        if refresh.clientFaults.match(status: status, body) == .full {
            return .failed(.clientFault(status: status, message: message))
        }
        switch refresh.terminal.match(status: status, body) {
        case .full: return .refused(Refusal(status: status, message: message))
        case .bare: return .refused(Refusal(status: status, message: message, isBare: true))
        case nil: return .failed(failure)
        }
    }

    /// Returns whether a body with a successful status is a rejection nevertheless, by its flag or
    /// by a rule, if it contains no token.
    private func isRefusal(
        _ body: ResponseBody,
        by refresh: RefreshExchange,
        _ response: WireResponse
    ) -> Bool {
        guard body.isObject, let json = body.json else { return false }
        if refresh.reading.saysFailure(json) { return true }
        guard refresh.reading.access.string(in: response, json) == nil else { return false }
        let rules = refresh.terminal + refresh.clientFaults
        return rules.filter(\.asksBody).match(status: response.status, body) == .full
    }

    private func issued(
        _ response: WireResponse,
        _ body: ResponseBody,
        by refresh: RefreshExchange,
        hiding secrets: KnownSecrets
    ) -> RefreshResponse {
        let status = response.status
        guard let json = refresh.reading.readable(body, response) else {
            let message = ResponseFailure.unreadable(body, refresh.request)
            return .failed(.undecodable(status: status, message: message))
        }
        do throws(TokenParser.Unreadable) {
            let tokens = try refresh.reading.tokens(
                in: response,
                json,
                lifetimes: lifetimes,
                startsRefreshLife: lifetimes.refreshSlides,
                hiding: secrets
            )
            return .issued(withSubject(tokens, hiding: secrets))
        } catch {
            return .failed(.undecodable(status: status, message: error.message))
        }
    }
}
