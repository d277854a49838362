import Basics

/// The answer to a request of another client, parsed by its dialect.
package enum RecognizedAnswer: Sendable, Hashable {
    case login(LoginResponse)
    case refresh(RefreshResponse)
    case logout(LogoutResponse)
    /// The answer's statement about the access token.
    case protected(ProtectedResponse)
}

/// Parsing of the exchanges of another client.
extension Dialect {
    /// Parses a request as `recognize` does, and takes a token in the place of the protected
    /// request's for an access token at every path.
    package func recognizeAnywhere(_ request: WireRequest) -> RecognizedRequest? {
        if let recognized = recognize(request) { return recognized }
        let token = (protected?.place ?? .bearer).token(in: request)
        return token.map { .protected(AccessToken($0)) }
    }

    /// Parses the answer to a request.
    ///
    /// - Parameters:
    ///   - request: The request, as it was parsed.
    ///   - response: Its answer.
    ///   - secrets: The secrets that the backend may repeat.
    /// - Returns: The meaning of the answer, and the rule that decided it.
    func readAnswer(
        to request: RecognizedRequest,
        _ response: WireResponse,
        hiding secrets: KnownSecrets = .none
    ) -> Decision<RecognizedAnswer> {
        switch request {
        case .login(let credentials):
            let decision = decideLogin(response, credentials: credentials, hiding: secrets)
            return Decision(.login(decision.meaning), by: decision.rule)
        case .refresh:
            let decision = decideRefresh(response, hiding: secrets)
            return Decision(.refresh(decision.meaning), by: decision.rule)
        case .logout(let scope, _, _):
            let decision = decideLogout(response, of: scope)
            return Decision(.logout(decision.meaning), by: decision.rule)
        case .feed where response.status == 101:
            return Decision(.protected(.accepted), by: .status)
        case .feed where feed?.refused.isEmpty == false:
            let rule = feedRefusalRule(response)
            guard case .refused = rule else { return recognizedProtected(response) }
            return Decision(.protected(.tokenRejected), by: rule)
        // What a list or a statement has is for its client alone, which reads it by `decideSessions`
        // and `decideStatement`. Of the token that it was asked with, it says what all others say.
        case .protected, .feed, .sessions, .introspection, .userinfo, .endSession:
            return recognizedProtected(response)
        }
    }

    private func recognizedProtected(_ response: WireResponse) -> Decision<RecognizedAnswer> {
        let decision = decideProtected(response)
        return Decision(.protected(decision.meaning), by: decision.rule)
    }
}
