/// Rules of authorization servers and of resources that the backend breaks.
extension Fault {
    /// In the order of the list.
    static let ofRules: [Fault] = [
        .keptRefreshToken, .acceptedReuse, .missingAudience, .missingScope, .spentByChallenge,
        .wrongResource, .wrongIssuer, .missingPKCE, .refusedRegistration,
    ]

    // MARK: - Refreshes

    package static let keptRefreshToken = Fault(
        .breach(.rotation),
        FaultRole(.backend, "kept-refresh-token", in: [.refresh]) { _ in
            "a refresh returns the same refresh token"
        }
    )

    package static let acceptedReuse = Fault(
        .breach(.singleUse),
        FaultRole(.backend, "accepted-reuse", in: [.refresh]) { _ in
            "a replaced refresh token is accepted again"
        }
    )

    /// The resource then refuses the token.
    package static let missingAudience = Fault(
        .breach(.audience),
        FaultRole(.backend, "missing-audience", in: [.refresh]) { _ in
            "the new access token states no audience"
        }
    )

    package static let missingScope = Fault(
        .breach(.scope),
        FaultRole(.backend, "missing-scope", in: [.refresh]) { _ in
            "the new access token states no scope"
        }
    )

    /// The client sends the same token again with the nonce, and it is refused.
    package static let spentByChallenge = Fault(
        .breach(.nonce),
        FaultRole(.backend, "spent-by-challenge", in: [.challenge]) { _ in
            "use_dpop_nonce spends the refresh token"
        }
    )

    // MARK: - Logins

    package static let wrongResource = Fault(
        .breach(.resource),
        FaultRole(.backend, "wrong-resource", in: [.resourceMetadata]) { _ in
            "the MCP server's metadata name another one"
        }
    )

    package static let wrongIssuer = Fault(
        .breach(.issuer),
        FaultRole(.backend, "wrong-issuer", in: [.serverMetadata]) { _ in
            "the metadata name another issuer"
        }
    )

    package static let missingPKCE = Fault(
        .breach(.codeChallenge),
        FaultRole(.backend, "missing-pkce", in: [.serverMetadata]) { _ in
            "the metadata do not offer PKCE"
        }
    )

    package static let refusedRegistration = Fault(
        .breach(.registration),
        FaultRole(.backend, "refused-registration", in: [.registration]) { _ in
            "no client is registered (400)"
        }
    )
}
