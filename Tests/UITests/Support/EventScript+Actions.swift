import Basics
import FoundationEssentials
import UI

@testable import Model
@testable import Profiles

extension EventScript {
    static let bearer = RequestTemplate(headers: [
        WireHeader("Authorization", "Bearer \(RequestTemplate.tokenPlaceholder)")
    ])

    mutating func capabilities(
        dialect: String = "bitbasel",
        rotation: Rotation = .never,
        scopes: Set<LogoutScope> = [.this],
        hasFeed: Bool = true,
        listsSessions: Bool = false,
        endsSessions: Bool = false,
        lifetimePlace: String? = nil,
        questions: [TokenQuestion]? = nil,
        template: RequestTemplate? = bearer,
        documented: DocumentedLifetimes? = nil
    ) {
        add(
            Capabilities(
                dialect: dialect,
                title: dialect,
                baseURL: "http://127.0.0.1:8787",
                rotation: rotation,
                logoutScopes: scopes,
                hasFeed: hasFeed,
                hasProtectedRequest: true,
                vault: "memory only: gone when you quit",
                requestEvery: 5,
                listsSessions: listsSessions,
                endsSessions: endsSessions,
                lifetimePlace: lifetimePlace,
                questions: questions,
                requestTemplate: template,
                refreshRequest: RequestLine(method: "POST", target: "/auth/refresh"),
                documented: documented
            )
        )
    }

    /// Those of a session that a proxy observes.
    mutating func observedCapabilities() {
        add(
            Capabilities(
                dialect: "none",
                title: "app",
                baseURL: "https://api.example.com",
                rotation: .maybe,
                logoutScopes: [],
                hasFeed: true,
                hasProtectedRequest: false,
                vault: "kept by the app",
                requestEvery: nil,
                role: .observed
            )
        )
    }

    mutating func logIn(accessLife: Double = 20, refreshLife: Double = 300) {
        login += 1
        generation = 1
        add(LoginStarted())
        enter(.signingIn)
        request(.login, "POST", "/auth/login", status: 200, seconds: 0.042, why: .login)
        issue(.login, accessLife: accessLife, refreshLife: refreshLife)
        enter(.fresh)
    }

    /// A pair that is renewed at two thirds of its life.
    mutating func issue(
        _ origin: PairDescription.Origin,
        accessLife: Double = 20,
        refreshLeft: Double? = nil,
        refreshLife: Double = 300,
        rotated: Bool = false,
        access: Expiry? = nil,
        unusable: UnusableExpiries? = nil,
        refresh: String = "91bb04c7",
        isOpaque: Bool = false,
        sessionLeft: Double? = nil,
        keptRefresh: KeptRefreshToken? = nil,
        request: Int? = nil
    ) {
        let opaque = TokenDescription(
            fingerprint: Fingerprint(digits: refresh),
            format: .opaque,
            byteCount: 43,
            claims: [:]
        )
        let expiry = access ?? Expiry(seconds: accessLife, source: .webTokenLifetime)
        var pair = PairDescription(
            origin: origin,
            access: .sample(Self.fingerprints[generation % 8], wall: now.wall, accessLife),
            refresh: isOpaque ? opaque : .sample(refresh, wall: now.wall, refreshLife),
            issuedAt: now,
            accessExpiry: unusable != nil
                ? nil
                : Deadline(
                    at: instant(expiry.seconds),
                    lifetime: .seconds(expiry.seconds),
                    expiry: expiry
                ),
            refreshExpiry: isOpaque
                ? nil
                : Deadline(
                    at: instant(refreshLeft ?? refreshLife),
                    lifetime: .seconds(refreshLife),
                    expiry: Expiry(seconds: refreshLife, source: .webTokenLifetime)
                ),
            rotated: rotated
        )
        pair.unusableExpiries = unusable ?? UnusableExpiries()
        pair.usableUntil = unusable != nil ? nil : instant(expiry.seconds * 0.97)
        pair.statements.subject = "123"
        pair.statements.displayName = "user@example.com"
        pair.request = request
        pair.sessionEnd = sessionLeft.map(instant)
        pair.keptRefresh = keptRefresh
        add(TokensIssued(pair))
        plan(in: expiry.seconds * 2 / 3)
    }

    mutating func plan(in seconds: Double, _ reason: RenewalReason = .accessTokenEnds) {
        add(RenewalPlanned(.scheduled(at: instant(seconds), reason)))
    }

    /// The refresh of the flight that has begun leaves; its answer is the next request.
    mutating func sendRenewal() {
        add(RefreshStarted(flight: flights, cause: .timer, request: requests + 1))
    }

    mutating func renew(
        cause: RefreshCause = .timer,
        accessLife: Double = 20,
        refreshLeft: Double? = nil,
        rotated: Bool = false
    ) {
        flights += 1
        add(RefreshStarted(flight: flights, cause: cause))
        enter(.renewing, why: .renewal(cause))
        wait(0.012)
        request(
            .refresh,
            "POST",
            "/auth/refresh",
            status: 200,
            seconds: 0.012,
            why: .refresh(cause),
            flight: flights
        )
        generation += 1
        add(
            RefreshSucceeded(
                flight: flights,
                roundTrip: .milliseconds(12),
                remainingLead: .seconds(6),
                rotated: rotated
            )
        )
        issue(.refresh, accessLife: accessLife, refreshLeft: refreshLeft, rotated: rotated)
        enter(.fresh)
    }

    /// The experiment with two refreshes at once, both accepted; the pair of one is used.
    mutating func renewTwice(using used: Int) {
        flights += 1
        add(RefreshStarted(flight: flights, cause: .user))
        let first = requests + 1
        for _ in 0..<2 {
            request(
                .refresh,
                "POST",
                "/auth/refresh",
                status: 200,
                seconds: 0.012,
                why: .experiment(.concurrentRefresh),
                flight: flights
            )
        }
        generation += 1
        add(
            RefreshSucceeded(
                flight: flights,
                roundTrip: .milliseconds(12),
                remainingLead: .seconds(6),
                rotated: true
            )
        )
        issue(.refresh, rotated: true, request: first + used)
    }

    mutating func failRenewal(_ failure: RefreshFailure, attempt: Int, nextIn: Double?) {
        flights += 1
        add(RefreshStarted(flight: flights, cause: attempt == 1 ? .timer : .retry))
        let result: Exchange.Result =
            switch (failure.cause, failure.status) {
            case (_, let status?): .answered(status: status)
            case (.unsent(let cause), nil): .notSent(cause)
            case (_, nil): .unanswered(detail: CauseText().text(failure))
            }
        request(
            .refresh,
            "POST",
            "/auth/refresh",
            result,
            seconds: 0.9,
            why: .refresh(attempt == 1 ? .timer : .retry),
            flight: flights
        )
        add(
            RefreshFailed(
                flight: flights,
                failure: failure,
                attempt: attempt,
                nextAt: nextIn.map(instant)
            )
        )
    }

    mutating func request(
        _ purpose: ExchangePurpose = .protected,
        _ method: String = "GET",
        _ target: String = "/posts/feed",
        status: Int = 200,
        isPending: Bool? = nil,
        isUndelivered: Bool? = nil,
        seconds: Double = 0.004,
        generation: Int? = nil,
        why: RequestCause = .interval(seconds: 5),
        retryOf: Int? = nil,
        flight: Int? = nil,
        corsAddedFor: String? = nil,
        acceptance: TokenAcceptance? = nil,
        serverWords: String? = nil
    ) {
        request(
            purpose,
            method,
            target,
            .answered(status: status),
            isPending: isPending,
            isUndelivered: isUndelivered,
            seconds: seconds,
            generation: generation,
            why: why,
            retryOf: retryOf,
            flight: flight,
            corsAddedFor: corsAddedFor,
            acceptance: acceptance,
            serverWords: serverWords
        )
    }

    mutating func request(
        _ purpose: ExchangePurpose,
        _ method: String,
        _ target: String,
        _ result: Exchange.Result,
        isPending: Bool? = nil,
        isUndelivered: Bool? = nil,
        seconds: Double,
        generation: Int? = nil,
        why: RequestCause,
        retryOf: Int? = nil,
        flight: Int? = nil,
        corsAddedFor: String? = nil,
        acceptance: TokenAcceptance? = nil,
        serverWords: String? = nil
    ) {
        requests += 1
        let carried = purpose == .login ? 0 : generation ?? self.generation
        let digits = purpose == .refresh ? "91bb04c7" : Self.fingerprints[carried % 8]
        var record = Exchange(
            id: requests,
            purpose: purpose,
            method: method,
            target: target,
            result: result,
            seconds: seconds,
            timing: RequestTiming(
                connect: requests == 1 ? seconds / 4 : nil,
                firstByte: seconds / 2,
                body: seconds / 4
            ),
            generation: carried,
            fingerprint: carried > 0 ? Fingerprint(digits: digits) : nil,
            why: why,
            retryOf: retryOf,
            flight: flight,
            client: client
        )
        record.isPending = isPending
        record.isUndelivered = isUndelivered
        record.corsAddedFor = corsAddedFor
        record.acceptance = acceptance
        record.serverWords = serverWords
        add(record)
    }

    static let fingerprints = [
        "00000000", "a1c3094e", "5b7720d1", "c90e11fa", "07d4b6e2", "e25a9c30", "48f1d7bb",
        "3f9c21ab",
    ]
}

extension TokenDescription {
    static func sample(_ digits: String, wall: Date, _ life: Double) -> TokenDescription {
        let issued = wall.timeIntervalSince1970.rounded(.down)
        return TokenDescription(
            fingerprint: Fingerprint(digits: digits),
            format: .webToken(algorithm: "HS256"),
            byteCount: 212,
            claims: [
                "sub": "123",
                "iat": .integer(Int64(issued)),
                "exp": .integer(Int64(issued + life)),
                "scope": "posts:read posts:write",
            ]
        )
    }
}
