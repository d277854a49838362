package import Basics

/// A question about a session that a server can be asked, besides the statements of its answers to
/// logins and renewals.
package enum TokenQuestion: String, Sendable, Hashable, Codable, CaseIterable {
    /// The access token, by introspection (RFC 7662).
    case access
    /// The refresh token, by introspection.
    case refresh
    /// The user of the access token (OpenID Connect Core section 5.3).
    case user
}

/// The request for what the server knows of a token (RFC 7662 section 2.1).
struct IntrospectionExchange: Sendable, Hashable {
    var request: RequestShape
    var place: TokenLocation

    static let usualPlace = TokenLocation.form("token")

    /// The parameter that says which kind of token it is.
    static let hintName = "token_type_hint"
}

/// The request for what the server knows of the token's user.
struct UserinfoExchange: Sendable, Hashable {
    var request: RequestShape
    var place: TokenLocation
}

/// The requests that ask for an introspection and change nothing.
extension Dialect {
    /// The questions that the server can be asked, in the order in which it is asked.
    package var questions: [TokenQuestion] {
        TokenQuestion.allCases.filter { question in
            switch question {
            case .access: introspection != nil
            case .refresh: introspection != nil && hasRefreshToken
            case .user: userinfo != nil
            }
        }
    }

    /// Returns the request, or `nil` if the dialect has none.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - token: The token that it is asked about, or that it is asked with.
    ///   - credentials: The client's credentials.
    /// - Returns: The request.
    package func questionRequest(
        _ question: TokenQuestion,
        about token: Secret,
        credentials: [String: Secret] = [:]
    ) -> WireRequest? {
        let values = withClientID(credentials)
        switch question {
        case .user:
            return userinfo.map { $0.request.filled(values: values, tokens: [($0.place, token)]) }
        case .access, .refresh:
            guard let introspection else { return nil }
            var shape = introspection.request
            if case .form = introspection.place, shape.fields[IntrospectionExchange.hintName] == nil
            {
                let hint = question == .access ? "access_token" : "refresh_token"
                shape.fields[IntrospectionExchange.hintName] = .string(hint)
            }
            return shape.filled(values: values, tokens: [(introspection.place, token)])
        }
    }
}
