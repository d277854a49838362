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
        let proofErrors = bindsTokens ? ProofOfPossession.errors : []
        if let kept = errors.intersection(keptErrors.union(proofErrors)).min() {
            return Decision(inconclusive, by: .notExpiredError(kept))
        }
        let whole = ResponseBody(response, by: recognition)
        switch exchange.refused.refusal(response, whole) {
        case .refused(let condition)?: return Decision(.tokenRejected, by: .refused(condition))
        case let rule?: return Decision(inconclusive, by: rule)
        case nil: break
        }
        if exchange.expired.contains(status) { return Decision(.tokenRejected, by: .expired) }
        let named = errors.intersection(exchange.expiredErrors).min()
        if let named, (400..<500).contains(status) {
            return Decision(.tokenRejected, by: .expiredError(named))
        }
        switch status {
        case 200..<300, 400, 403:
            let parts = AnswerTraits(response, whole, by: recognition)
            if recognition.refusals.refused(by: parts).contains(.access) {
                return Decision(.tokenRejected, by: .recognized)
            }
            guard parts.isSuccess else {
                return Decision(inconclusive, by: parts.isTransient ? .neverTerminal : .unlisted)
            }
            return whole.isHTML
                ? Decision(inconclusive, by: .unreadable) : Decision(.accepted, by: .success)
        case 304, 409, 412, 422: return Decision(.accepted, by: .status)
        default: return Decision(inconclusive, by: .unlisted)
        }
    }

    /// The errors in challenges that no other token answers.
    private var keptErrors: Set<String> { protected?.keptErrors ?? Challenge.otherErrors }

    /// Returns the rule that decides whether an answer to the opening of the feed is about its token;
    /// `status` if its status has to tell.
    package func feedRefusalRule(_ response: WireResponse) -> DecidingRule {
        guard !ResponseClass.isNeverTerminal(response.status) else { return .neverTerminal }
        let errors = Challenge.errors(in: response)
        if let kept = errors.intersection(keptErrors).min() { return .notExpiredError(kept) }
        let body = ResponseBody(response, by: recognition)
        return feed?.refused.refusal(response, body) ?? .status
    }
}
