import Basics
import Profiles

/// A token that was just issued.
struct Issue<Token: Sendable>: Sendable {
    let token: Token
    let generation: Int
    /// Seconds since 1970.
    let expiresAt: Double
    /// The token that was forgotten to make room, or `nil` if none was.
    let forgotten: Token?
}

// Families issue in place, since copying one would copy its histories.
extension Family {
    mutating func issueRefresh(
        from mint: inout TokenMint,
        in policy: BackendPolicy,
        at now: Double
    ) -> Issue<RefreshToken> {
        let (secret, expiresAt) = mint.token(
            policy.formats.refresh,
            claims(.refresh, issuedAt: now, expiresAt: refreshDeadline)
        )
        let token = RefreshToken(secret)
        refresh = token
        return Issue(
            token: token,
            generation: generation,
            expiresAt: expiresAt,
            forgotten: refreshTokens.append(token)
        )
    }

    mutating func issueAccess(
        from mint: inout TokenMint,
        in policy: BackendPolicy,
        at now: Double
    ) -> Issue<AccessToken> {
        var claims = claims(.access, issuedAt: now, expiresAt: now + policy.accessLifetime)
        if policy.statesAudience { claims.audience = grant?.resource }
        if policy.statesScope { claims.scope = grant?.scope }
        let format = grant == nil ? policy.formats.access : .jwt
        let (secret, expiresAt) = mint.token(format, claims)
        let token = AccessToken(secret)
        access = token
        accessDeadline = max(accessDeadline, expiresAt)
        return Issue(
            token: token,
            generation: generation,
            expiresAt: expiresAt,
            forgotten: accessTokens.append(token)
        )
    }

    private func claims(
        _ purpose: TokenMint.Purpose,
        issuedAt: Double,
        expiresAt: Double
    ) -> TokenMint.Claims {
        TokenMint.Claims(
            purpose: purpose,
            user: user.id,
            session: session,
            issuedAt: issuedAt,
            expiresAt: expiresAt
        )
    }
}

extension AuthBackend {
    /// Issues a refresh token for the family's current generation.
    ///
    /// - Returns: The token, or `nil` if the family is unknown.
    mutating func issueRefresh(
        to family: Int,
        in policy: BackendPolicy,
        at now: Double
    ) -> RefreshToken? {
        makeRoom(for: family, at: now)
        let issue = families[family]?.issueRefresh(from: &mint, in: policy, at: now)
        guard let issue else { return nil }
        issuedRefresh[issue.token] = IssuedRefresh(
            family: family,
            generation: issue.generation,
            expiresAt: issue.expiresAt
        )
        if let forgotten = issue.forgotten { issuedRefresh[forgotten] = nil }
        return issue.token
    }

    /// Issues an access token for the family's current generation and returns the facts about the
    /// pair.
    ///
    /// - Parameters:
    ///   - family: The family.
    ///   - refresh: The refresh token that the response contains.
    ///   - policy: The family's policy.
    ///   - now: Seconds since 1970.
    /// - Returns: The pair, or `nil` if the family is unknown.
    mutating func issueAccess(
        to family: Int,
        with refresh: RefreshToken?,
        in policy: BackendPolicy,
        at now: Double
    ) -> IssuedFacts? {
        makeRoom(for: family, at: now)
        let issue = families[family]?.issueAccess(from: &mint, in: policy, at: now)
        guard let issue, let user = families[family]?.user,
            let refreshDeadline = families[family]?.refreshDeadline
        else { return nil }
        issuedAccess[issue.token] = IssuedAccess(
            family: family,
            generation: issue.generation,
            audience: policy.statesAudience ? families[family]?.grant?.resource : nil,
            expiresAt: issue.expiresAt
        )
        if let forgotten = issue.forgotten { issuedAccess[forgotten] = nil }
        return IssuedFacts(
            access: issue.token,
            refresh: refresh,
            issuedAt: now,
            accessLifetime: policy.accessLifetime,
            refreshLifetime: refreshDeadline - now,
            user: user
        )
    }
}
