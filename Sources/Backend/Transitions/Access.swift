package import Dialects
package import Tokens

/// What a live access token stands for.
package struct AccessGrant: Sendable, Hashable {
    package var user: BackendUser
    /// The number of the session within this backend.
    package var family: Int
    package var generation: Int
    /// Seconds since 1970.
    package var expiresAt: Double
}

/// Whether an access token opens the door.
package enum AccessOutcome: Sendable, Hashable {
    case granted(AccessGrant)
    case refused(UnauthorizedCause)
}

extension AuthBackend {
    /// Looks at an access token, and leaves no trace of that.
    ///
    /// - Parameters:
    ///   - token: Nil when the request held none.
    ///   - policy: A token of another policy is invalid here.
    ///   - now: Seconds since 1970; at the very instant of its expiry a token is expired.
    /// - Returns: What the token stands for, or why it does not.
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

    /// A request for something that only a live access token may see.
    package mutating func protected(
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

    /// A request to open the feed.
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

    /// Whether the session is still good for anything.
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
            noteUse(of: grant.generation, in: grant.family, at: now)
        }
        return outcome
    }
}
