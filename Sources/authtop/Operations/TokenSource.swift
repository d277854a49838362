import Basics
import Client
import FoundationEssentials
import Model
import Profiles

/// The tokens of a session that runs.
struct TokenSource: Sendable {
    /// The time that a token may take, in seconds.
    static let limit = 35.0
    /// The time that a renewal in progress may still take when the run ends.
    private static let endLimit = Duration.seconds(10)

    let store: SessionStore
    let profile: String
    let dialect: Dialect
    let kind: FreshToken.Kind
    /// Whether a login needs nothing from the user.
    let canLogIn: Bool
    let time: any Timekeeper

    /// Obtains a token, by a login if there is no session and one needs nothing from the user.
    ///
    /// - Throws: `CommandFailure` if there is none, or not in time.
    func first() async throws(CommandFailure) -> FreshToken {
        try await time.limited(to: time.now.advanced(bySeconds: Self.limit)) {
            () async -> Result<FreshToken, CommandFailure> in
            do throws(CommandFailure) {
                try await begin()
                return .success(try await next())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Waits until there is a session, and logs in if there is none and nothing is needed from the user.
    ///
    /// - Throws: `CommandFailure` if there is none.
    func begin() async throws(CommandFailure) {
        switch await store.state(.attempted) {
        case .vaultUnavailable(let problem): throw .vaultUnavailable(problem, profile)
        case .signedOut(let reason):
            guard canLogIn else { throw .signedOut(await store.reason(reason), profile) }
            _ = try LoginText.message(of: await store.logIn(), profile)
            await store.state(.attempted)
        case .cold, .signingIn, .signingOut, .renewing, .fresh, .retrying, .blocked, .expired,
            .unknown, .draining:
            break
        }
    }

    /// Obtains a token that no renewal is due for, if a renewal can bring one.
    func next() async throws(CommandFailure) -> FreshToken {
        do throws(WaitFailure) {
            _ = try await store.freshToken(by: time.now.advanced(bySeconds: Self.limit))
        } catch {
            throw CommandFailure(error, after: await store.state.outlook, profile)
        }
        // A pair that is lost ends the session.
        if let problem = await store.saved() { throw .unsaved(problem, profile) }
        let token = try await held()
        guard kind == .id, let due = token.asked.replacement, time.moment.wall >= due else {
            return token
        }
        return try await replaced(token)
    }

    /// Renews for another ID token, which may end before the access token.
    private func replaced(_ token: FreshToken) async throws(CommandFailure) -> FreshToken {
        _ = await store.refresh()
        let next = try await held()
        if let end = next.asked.end, end <= time.moment.wall {
            if let outlook = await store.state.outlook { throw .noToken(after: outlook, profile) }
            throw CommandFailure(
                .notSo,
                "\(profile): the ID token has expired, and a renewal brought no other one",
                run: ["login", profile]
            )
        }
        return next
    }

    /// Returns the token in use, without a renewal.
    func held() async throws(CommandFailure) -> FreshToken {
        guard let pair = await store.pair else { throw await failure() }
        let now = time.moment
        let end = pair.access.flatMap { $0.expiry.isAssumed ? nil : now.wallTime(at: $0.statedEnd) }
        let token = FreshToken(
            kind,
            access: FreshToken.Part(secret: pair.tokens.access.secret, end: end),
            id: pair.idToken.map(FreshToken.Part.init(idToken:)),
            captures: pair.tokens.captures,
            dialect: dialect
        )
        guard let token else {
            throw CommandFailure(
                .notSo,
                "\(profile): --id-token: no answer has brought an ID token; with OpenID Connect, "
                    + "the login needs the scope openid"
            )
        }
        return token
    }

    /// Returns why there is no pair.
    private func failure() async -> CommandFailure {
        switch await store.state {
        case .vaultUnavailable(let problem): .vaultUnavailable(problem, profile)
        case .signedOut(let reason): .signedOut(await store.reason(reason), profile)
        case .cold, .signingIn, .signingOut, .renewing, .fresh, .retrying, .blocked, .expired,
            .unknown, .draining:
            .noToken(profile)
        }
    }

    /// Waits for a renewal in progress, whose answer would be lost.
    func settle() async {
        await time.limited(to: time.now + Self.endLimit) { _ = await store.state(.attempted) }
    }
}

extension CommandFailure {
    /// - Parameters:
    ///   - failure: Why there is no token.
    ///   - outlook: The last failure of a renewal, or `nil` if it is not to be named.
    ///   - profile: The name of the profile.
    init(_ failure: WaitFailure, after outlook: RetryOutlook? = nil, _ profile: String) {
        switch failure {
        case .signedOut(let reason): self = .signedOut(reason, profile)
        case .vaultUnavailable(let problem): self = .vaultUnavailable(problem, profile)
        case .notRenewed, .timedOut, .cancelled, .circuitBreakerOpened:
            self = .noToken(after: outlook, profile)
        }
    }
}
