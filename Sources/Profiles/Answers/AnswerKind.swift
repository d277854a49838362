import Basics

/// The meaning of an answer by a profile, in a word.
package enum AnswerKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// It brought tokens.
    case issued
    /// The credentials or the refresh token are refused for good.
    case refused
    /// The same, but only if it comes again.
    case refusedOnce
    /// The access token is refused.
    case tokenRefused
    case accepted
    /// The logout is done.
    case acknowledged
    /// Nothing is decided.
    case inconclusive
}

extension RecognizedAnswer {
    package var kind: AnswerKind {
        switch self {
        case .login(.issued), .refresh(.issued): .issued
        case .login(.rejected), .login(.authorizationEnded): .refused
        case .refresh(.refused(let refusal)): refusal.isBare ? .refusedOnce : .refused
        case .login(.authorizationPending), .login(.failed), .refresh(.failed),
            .refresh(.refreshTokenOnly), .logout(.failed), .protected(.inconclusive):
            .inconclusive
        case .logout(.acknowledged), .logout(.tokenUnknown): .acknowledged
        case .protected(.accepted), .protected(.listed): .accepted
        case .protected(.tokenRejected): .tokenRefused
        }
    }

    /// The tokens that it brought, or `nil` if it brought none.
    var tokens: IssuedTokens? {
        switch self {
        case .login(.issued(let tokens)), .refresh(.issued(let tokens)): tokens
        case .login, .refresh, .logout, .protected: nil
        }
    }
}

extension IssuedTokens {
    /// The access and the refresh token as they are found in an answer.
    var found: [FoundToken] {
        let access = FoundToken(
            place: .body,
            name: "access",
            role: .access,
            secret: access.secret,
            evidence: accessEvidence
        )
        let refresh = refresh.map { token in
            FoundToken(
                place: .body,
                name: "refresh",
                role: .refresh,
                secret: token.secret,
                evidence: refreshEvidence
            )
        }
        return [access] + [refresh].compactMap(\.self)
    }
}
