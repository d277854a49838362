import Basics
package import Profiles

/// A simulated authentication backend, as a value: its accounts, the tokens it issued, and what
/// each token is still good for.
///
/// It performs no IO and has no clock: the caller passes the time, in seconds since 1970. Equal
/// seeds and equal calls issue equal tokens.
package struct AuthBackend: Sendable {
    /// The number of sessions above which the oldest tenth is forgotten, ended sessions first.
    static let familyLimit = 2000
    /// The number of tokens above which sessions are forgotten in the same way.
    static let tokenLimit = 40_000
    /// The seconds for which an ended session is still remembered.
    static let memory = 900.0

    let accounts: [Account]
    var mint: TokenMint
    var families: [Int: Family] = [:]
    var issuedRefresh: [RefreshToken: IssuedRefresh] = [:]
    var issuedAccess: [AccessToken: IssuedAccess] = [:]
    /// The authorization codes, including those that were redeemed.
    var codes: [Secret: AuthorizationCode] = [:]
    /// The parameters that clients have pushed, by their references.
    var pushed: [String: PushedRequest] = [:]
    /// The codes of devices that wait for their users.
    var deviceCodes: [Secret: DeviceCode] = [:]
    /// The proofs that were accepted, with the times from which on they are too old.
    var proofs: [String: Double] = [:]
    let proofSeed: UInt64
    var counters: [String: BackendCounters] = [:]
    private var lastFamily = 0
    /// The number of sessions that have ended so far; when it grows, a feed checks whether its own
    /// session is among them.
    package private(set) var endings = 0

    /// Creates a backend without any sessions.
    ///
    /// - Parameters:
    ///   - accounts: The accounts that may log in.
    ///   - seed: The seed of all tokens. Tokens can be derived from it, so they protect nothing.
    package init(accounts: [Account] = [.sandbox], seed: UInt64) {
        self.accounts = accounts
        mint = TokenMint(seed: seed)
        proofSeed = seed
    }

    /// Handles a request.
    ///
    /// - Parameters:
    ///   - request: The request, as its dialect parsed it.
    ///   - policy: The policy of the dialect, whose sessions are separate from those of other
    ///     policies.
    ///   - now: Seconds since 1970.
    /// - Returns: The response for the dialect to write; `.protectedContent` if a feed may open.
    mutating func handle(
        _ request: RecognizedRequest,
        in policy: BackendPolicy,
        at now: Double
    ) -> BackendResponse {
        switch request {
        case .login(let credentials):
            return login(credentials, in: policy, at: now).map { .loginIssued($0) }
                ?? .loginRejected
        case .refresh(let token):
            return BackendResponse(refresh(token, in: policy, at: now))
        case .logout(let scope, let refresh, let access):
            let isDone = logout(scope, refresh: refresh, access: access, in: policy, at: now)
            guard !isDone else { return .loggedOut(scope) }
            guard policy.anonymousLogouts.contains(scope) else { return .logoutRefused(scope) }
            count(in: policy) { $0.logouts += 1 }
            return .loggedOut(scope)
        case .protected(let token):
            return BackendResponse(protected(token, in: policy, at: now))
        case .feed(let token, _):
            return BackendResponse(feed(token, in: policy, at: now))
        case .sessions(let token):
            return sessions(for: token, in: policy, at: now)
        case .endSession(let id, let token):
            return endSession(id, for: token, in: policy, at: now)
        case .introspection(let token):
            return .introspected(introspect(token, in: policy, at: now))
        case .userinfo(let token):
            switch access(token, in: policy, at: now) {
            case .granted(let grant): return .userinfo(grant.user)
            case .refused(let cause): return .unauthorized(cause)
            }
        }
    }

    /// The number of tokens that are remembered.
    var tokenCount: Int { issuedRefresh.count + issuedAccess.count }

    /// Returns the name of the policy that issued a token of the request, or `nil` if the request
    /// has none, or none that is remembered.
    package func issuer(ofTokensIn request: RecognizedRequest) -> String? {
        family(ofTokensIn: request)?.policy
    }

    /// Returns the session of a token of the request, under the same conditions.
    func family(ofTokensIn request: RecognizedRequest) -> Family? {
        let family: Int? =
            switch request {
            case .login: nil
            case .refresh(let token): token.flatMap { issuedRefresh[$0]?.family }
            case .logout(_, let refresh, let access):
                refresh.flatMap { issuedRefresh[$0]?.family }
                    ?? access.flatMap { issuedAccess[$0]?.family }
            case .protected(let token), .sessions(let token), .feed(let token, _),
                .endSession(_, let token), .userinfo(let token):
                token.flatMap { issuedAccess[$0]?.family }
            case .introspection(let token):
                token.flatMap {
                    issuedAccess[AccessToken($0)]?.family ?? issuedRefresh[RefreshToken($0)]?.family
                }
            }
        return family.flatMap { families[$0] }
    }

    /// Forgets every session that ended more than `memory` seconds ago.
    package mutating func forgetOver(at now: Double) {
        codes = codes.filter { now < $0.value.expiresAt + Self.memory }
        deviceCodes = deviceCodes.filter { now < $0.value.expiresAt + Self.memory }
        pushed = pushed.filter { now < $0.value.expiresAt }
        forget(families.filter { $0.value.hasBeenOver(for: Self.memory, at: now) }.map(\.key))
    }

    /// Starts a family, after making room for it, and returns its number.
    mutating func open(_ family: Family, at now: Double) -> Int {
        if families.count >= Self.familyLimit { forgetOldest(at: now) }
        lastFamily += 1
        families[lastFamily] = family
        return lastFamily
    }

    /// Ends a family; if it has already ended, the first reason stays.
    mutating func end(_ family: Int, _ reason: FamilyEnd.Reason, at now: Double) {
        guard families[family]?.end == nil else { return }
        families[family]?.end = FamilyEnd(reason: reason, at: now)
        endings += 1
    }

    mutating func count(in policy: BackendPolicy, _ change: (inout BackendCounters) -> Void) {
        change(&counters[policy.name, default: BackendCounters()])
    }

    /// Makes room for more tokens if necessary, but never by forgetting the given family.
    mutating func makeRoom(for family: Int, at now: Double) {
        if tokenCount >= Self.tokenLimit { forgetOldest(but: family, at: now) }
    }

    private mutating func forgetOldest(but kept: Int? = nil, at now: Double) {
        let byAge = families.filter { $0.key != kept }
            .map { (id: $0.key, lives: $0.value.isActive(at: now)) }
            .sorted { $0.lives == $1.lives ? $0.id < $1.id : $1.lives }
        forget(byAge.prefix(max(byAge.count / 10, 1)).map(\.id))
    }

    private mutating func forget(_ ids: [Int]) {
        for id in ids {
            guard let family = families.removeValue(forKey: id) else { continue }
            for token in family.refreshTokens.elements { issuedRefresh[token] = nil }
            for token in family.accessTokens.elements { issuedAccess[token] = nil }
        }
    }
}

extension BackendResponse {
    init(_ outcome: RefreshOutcome) {
        switch outcome {
        case .issued(let facts): self = .refreshIssued(facts)
        case .refused(let cause): self = .refreshRefused(cause)
        }
    }

    init(_ outcome: AccessOutcome) {
        switch outcome {
        case .granted(let grant): self = .protectedContent(user: grant.user)
        case .refused(let cause): self = .unauthorized(cause)
        }
    }
}
