package import Basics
package import Profiles

/// The grant of a valid access token.
package struct AccessGrant: Sendable, Hashable {
    package var user: BackendUser
    /// The number of the session within this backend.
    package var family: Int
    package var generation: Int
    /// Seconds since 1970.
    package var expiresAt: Double
}

/// Whether an access token is accepted.
package enum AccessOutcome: Sendable, Hashable {
    case granted(AccessGrant)
    case refused(UnauthorizedCause)
}

extension AuthBackend {
    /// Validates an access token without changing any state.
    ///
    /// - Parameters:
    ///   - token: The token, or `nil` if the request has none.
    ///   - policy: The policy; a token of another policy is invalid here.
    ///   - now: Seconds since 1970; a token is expired from the instant of its expiry on.
    /// - Returns: The grant of the token, or the reason for which it is rejected.
    package func access(_ token: AccessToken?, in policy: BackendPolicy, at now: Double)
        -> AccessOutcome
    {
        guard let token, !token.secret.isEmpty else { return .refused(.missing) }
        guard let record = issuedAccess[token], families[record.family]?.policy == policy.name,
            let user = families[record.family]?.user
        else { return .refused(.invalid) }
        guard now < record.expiresAt else { return .refused(.expired) }
        guard families[record.family]?.end == nil else { return .refused(.invalid) }
        return .granted(
            AccessGrant(
                user: user,
                family: record.family,
                generation: record.generation,
                expiresAt: record.expiresAt
            )
        )
    }

    /// Returns what is known of a token of either kind without changing any state, or `nil` if it
    /// is not accepted (RFC 7662 section 2.2).
    func introspect(
        _ token: Secret?,
        in policy: BackendPolicy,
        at now: Double
    ) -> IntrospectionFacts? {
        guard let token else { return nil }
        if case .granted(let grant) = access(AccessToken(token), in: policy, at: now) {
            return IntrospectionFacts(
                isAccessToken: true,
                expiresAt: grant.expiresAt,
                user: grant.user
            )
        }
        guard let record = issuedRefresh[RefreshToken(token)],
            let family = families[record.family], family.policy == policy.name, family.end == nil,
            now < record.expiresAt
        else { return nil }
        if case .spent = record.use { return nil }
        return IntrospectionFacts(
            isAccessToken: false,
            expiresAt: record.expiresAt,
            user: family.user
        )
    }

    /// Handles a request that requires a valid access token.
    mutating func protected(
        _ token: AccessToken?,
        in policy: BackendPolicy,
        at now: Double
    ) -> AccessOutcome {
        let outcome = use(token, in: policy, at: now)
        count(in: policy) { counters in
            switch outcome {
            case .granted: counters.protected += 1
            case .refused(let cause): counters.unauthorized[cause.rawValue, default: 0] += 1
            }
        }
        return outcome
    }

    /// Handles a request to open the feed.
    package mutating func feed(
        _ token: AccessToken?,
        in policy: BackendPolicy,
        at now: Double
    ) -> AccessOutcome {
        let outcome = use(token, in: policy, at: now)
        count(in: policy) { counters in
            switch outcome {
            case .granted: counters.feedsOpened += 1
            case .refused(let cause): counters.feedsRefused[cause.rawValue, default: 0] += 1
            }
        }
        return outcome
    }

    /// Returns whether the session has ended, so that none of its tokens are accepted.
    package func hasEnded(family: Int) -> Bool {
        guard let family = families[family] else { return true }
        return family.end != nil
    }

    private mutating func use(
        _ token: AccessToken?,
        in policy: BackendPolicy,
        at now: Double
    ) -> AccessOutcome {
        let outcome = access(token, in: policy, at: now)
        if case .granted(let grant) = outcome {
            recordUse(of: grant.generation, in: grant.family, at: now)
        }
        return outcome
    }
}
