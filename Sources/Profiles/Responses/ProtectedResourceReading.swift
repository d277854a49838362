import Basics

/// Parsing of responses to requests with an access token (RFC 6749 section 7).
extension Dialect {
    /// Parses a response.
    ///
    /// An HTML page in place of data comes from a captive portal and says nothing about the token;
    /// neither does 403 unless the dialect lists it.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: Its request, whose token a redirection may refuse; `nil` if none does.
    /// - Returns: The meaning.
    package func readProtected(
        _ response: WireResponse,
        to request: WireRequest? = nil
    ) -> ProtectedResponse {
        decideProtected(response, to: request).meaning
    }

    /// Parses a response, and returns what decided its meaning, too.
    ///
    /// Where the head does not decide, the body, a redirection or the status of gRPC may refuse the
    /// token by its shape. Another failure by that status says nothing about it.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: Its request, whose token a redirection may refuse; `nil` if none does.
    /// - Returns: The meaning, with what decided it.
    package func decideProtected(
        _ response: WireResponse,
        to request: WireRequest? = nil
    ) -> Decision<ProtectedResponse> {
        let body = ResponseBody(response, by: recognition)
        if let decision = decideProtected(byHeadOf: response, body) { return decision }
        let inconclusive = ProtectedResponse.inconclusive(retryAfter: response.retryAfter)
        let parts = AnswerTraits(response, body, to: request, by: recognition)
        if recognition.refusals.refused(by: parts).contains(.access) {
            return Decision(.tokenRejected, by: .recognized)
        }
        switch response.status {
        case 200..<300, 400, 403:
            guard parts.isSuccess else {
                return Decision(inconclusive, by: parts.isTransient ? .neverTerminal : .unlisted)
            }
            return body.isHTML
                ? Decision(inconclusive, by: .unreadable) : Decision(.accepted, by: .success)
        case 304, 409, 412, 422: return Decision(.accepted, by: .status)
        default: return Decision(inconclusive, by: .unlisted)
        }
    }

    /// Returns the meaning of a response whose body is not there yet, or `nil` if that decides.
    package func decideProtected(
        byHeadOf response: WireResponse
    ) -> Decision<ProtectedResponse>? {
        decideProtected(byHeadOf: response, nil)
    }

    /// Decides by the status, the challenges and the rules of the profile, which may ask for the body.
    private func decideProtected(
        byHeadOf response: WireResponse,
        _ body: ResponseBody?
    ) -> Decision<ProtectedResponse>? {
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
        if body == nil, exchange.refused.asksBody(of: response) { return nil }
        let read = body ?? ResponseBody(response, by: recognition)
        switch exchange.refused.refusal(response, read) {
        case .refused(let condition)?: return Decision(.tokenRejected, by: .refused(condition))
        case let rule?: return Decision(inconclusive, by: rule)
        case nil: break
        }
        if exchange.expired.contains(status) { return Decision(.tokenRejected, by: .expired) }
        let named = errors.intersection(exchange.expiredErrors).min()
        if let named, (400..<500).contains(status) {
            return Decision(.tokenRejected, by: .expiredError(named))
        }
        return (200..<500).contains(status) ? nil : Decision(inconclusive, by: .unlisted)
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
