import Basics
import Profiles

/// The outcome of a refresh.
enum RefreshOutcome: Sendable, Hashable {
    case issued(IssuedFacts)
    case refused(RefreshRefusalCause)
}

extension AuthBackend {
    /// Exchanges a refresh token according to the policy.
    ///
    /// - Parameters:
    ///   - token: The token, or `nil` if the request has none.
    ///   - policy: The policy; a token of another policy is unknown here.
    ///   - now: Seconds since 1970; a token is expired from the instant of its expiry on.
    /// - Returns: The next generation, or why the token is rejected.
    mutating func refresh(
        _ token: RefreshToken?,
        in policy: BackendPolicy,
        at now: Double
    ) -> RefreshOutcome {
        let outcome = redeem(token, in: policy, at: now)
        count(in: policy) { counters in
            switch outcome {
            case .issued: counters.refreshes += 1
            case .refused(let cause): counters.refreshesRefused[cause.rawValue, default: 0] += 1
            }
        }
        return outcome
    }

    private mutating func redeem(
        _ token: RefreshToken?,
        in policy: BackendPolicy,
        at now: Double
    ) -> RefreshOutcome {
        guard let token, !token.secret.isEmpty else { return .refused(.missing) }
        guard let record = issuedRefresh[token], families[record.family]?.policy == policy.name
        else {
            let isWellFormed = policy.formats.refresh.admits(token.secret)
            return .refused(isWellFormed ? .unknown : .malformed)
        }
        guard families[record.family]?.end == nil else { return .refused(.revoked) }
        guard now < record.expiresAt else { return .refused(.expired) }
        if case .spent = record.use { count(in: policy) { $0.reuses += 1 } }
        switch policy.reuse.verdict(on: record.use, at: now) {
        case .refuse(let endsFamily):
            if endsFamily { end(record.family, .reuse, at: now) }
            return .refused(.spent)
        case .repeated(let successor):
            return `repeat`(successor, of: record.family, in: policy, at: now)
        case .exchange(let use):
            let facts = exchange(token, record, leaving: use, in: policy, at: now)
            return facts.map { .issued($0) } ?? .refused(.unknown)
        }
    }

    /// Issues the next generation of the token's family.
    private mutating func exchange(
        _ token: RefreshToken,
        _ record: IssuedRefresh,
        leaving use: RefreshUse,
        in policy: BackendPolicy,
        at now: Double
    ) -> IssuedFacts? {
        let family = record.family
        recordUse(of: record.generation, in: family, at: now)
        families[family]?.generation += 1
        if policy.refreshSlides { families[family]?.refreshDeadline = now + policy.refreshLifetime }
        let rotation = policy.rotation(of: families[family]?.grant)
        switch rotation {
        case .keeps, .keepsSilently:
            if policy.refreshSlides, let deadline = families[family]?.refreshDeadline {
                issuedRefresh[token]?.expiresAt = deadline
            }
            let shown = rotation == .keeps ? token : nil
            return issueAccess(to: family, with: shown, in: policy, at: now)
        case .replaces:
            let successor = issueRefresh(to: family, in: policy, at: now)
            mark(token, record, use.followed(by: successor))
            return issueAccess(to: family, with: successor, in: policy, at: now)
        case .consumes:
            // A window counts from the first use.
            if record.use == .unused { mark(token, record, .spent(at: now)) }
            families[family]?.refresh = nil
            return issueAccess(to: family, with: nil, in: policy, at: now)
        }
    }

    /// Returns the same successor once more, with a new access token.
    private mutating func `repeat`(
        _ successor: RefreshToken,
        of family: Int,
        in policy: BackendPolicy,
        at now: Double
    ) -> RefreshOutcome {
        guard let record = issuedRefresh[successor], record.use == .unused, now < record.expiresAt,
            let facts = issueAccess(to: family, with: successor, in: policy, at: now)
        else { return .refused(.spent) }
        return .issued(facts)
    }

    private mutating func mark(
        _ token: RefreshToken,
        _ record: IssuedRefresh,
        _ use: RefreshUse
    ) {
        guard use != record.use else { return }
        issuedRefresh[token]?.use = use
        guard record.use == .unused else { return }
        switch use {
        case .unused: break
        case .superseded: families[record.family]?.superseded.append(token)
        case .spent: families[record.family]?.spent += 1
        }
    }

    /// Records that a token of this generation was used, which spends the tokens that it replaced
    /// and that were still valid.
    mutating func recordUse(of generation: Int, in family: Int, at now: Double) {
        guard families[family]?.superseded.isEmpty == false,
            let waiting = families[family]?.superseded
        else { return }
        let isOld = { [issuedRefresh] (token: RefreshToken) in
            (issuedRefresh[token]?.generation ?? 0) < generation
        }
        for token in waiting where isOld(token) {
            issuedRefresh[token]?.use = .spent(at: now)
            families[family]?.spent += 1
        }
        families[family]?.superseded = waiting.filter { !isOld($0) }
    }
}

extension RefreshUse {
    /// Returns the use with the first successor of a spent token; later ones are not remembered.
    fileprivate func followed(by successor: RefreshToken?) -> RefreshUse {
        guard case .spent(let at, nil) = self else { return self }
        return .spent(at: at, successor: successor)
    }
}
