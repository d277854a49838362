import Basics

/// Parsing of responses to requests with an access token (RFC 6749 section 7).
extension Dialect {
    /// Parses a response.
    ///
    /// An HTML page in place of data comes from a captive portal and says nothing about the token;
    /// neither does 403 unless the dialect lists it.
    package func readProtected(_ response: WireResponse) -> ProtectedResponse {
        decideProtected(response).meaning
    }

    /// Parses a response, and returns what decided its meaning, too.
    ///
    /// With a status of success, or 400 and 403 that the profile does not list, the body or the
    /// status of gRPC may refuse the token. Another failure by that status says nothing about it.
    package func decideProtected(_ response: WireResponse) -> Decision<ProtectedResponse> {
        let exchange = protected ?? ProtectedExchange(request: login.request)
        let status = response.status
        let inconclusive = ProtectedResponse.inconclusive(retryAfter: response.retryAfter)
        if ResponseClass.isNeverTerminal(status) {
            return Decision(inconclusive, by: .neverTerminal)
        }
        let errors = Challenge.errors(in: response)
        let keptErrors = exchange.keptErrors.union(bindsTokens ? ProofOfPossession.errors : [])
        if let kept = errors.intersection(keptErrors).min() {
            return Decision(inconclusive, by: .notExpiredError(kept))
        }
        if exchange.expired.contains(status) { return Decision(.tokenRejected, by: .expired) }
        let named = errors.intersection(exchange.expiredErrors).min()
        if let named, (400..<500).contains(status) {
            return Decision(.tokenRejected, by: .expiredError(named))
        }
        switch status {
        case 200..<300, 400, 403:
            let body = ResponseBody(response, by: recognition)
            let parts = AnswerTraits(response, body, by: recognition)
            if recognition.refusals.refused(by: parts).contains(.access) {
                return Decision(.tokenRejected, by: .recognized)
            }
            guard parts.isSuccess else {
                return Decision(inconclusive, by: parts.isTransient ? .neverTerminal : .unlisted)
            }
            return body.isHTML
                ? Decision(inconclusive, by: .unreadable) : Decision(.accepted, by: .success)
        case 304, 409, 412, 422: return Decision(.accepted, by: .status)
        default: return Decision(inconclusive, by: .unlisted)
        }
    }
}
