import Basics
import Client

@testable import Model
@testable import Profiles

/// Events of every kind, with everything that they can carry, and with as little as they may.
enum EventSamples {
    static let all: [any EventKind] =
        session + states + renewal + conditions + vault + feed + experiments + observed

    private static let later = Instant.origin.advanced(bySeconds: 20)
    private static let failure = RefreshFailure(
        .unavailable(status: 503, detail: "busy")
    )

    private static let refusal = RefusalEvidence(
        age: 8,
        lifetime: 300,
        source: .lifetime,
        sendsWithoutAnswer: 0,
        possibleCauses: [.revoked],
        message: "Refresh token reused or revoked"
    )

    private static let captures = [
        CaptureDescription(
            CaptureReference(name: "csrf", source: "cookie:csrf_token"),
            fingerprint: Fingerprint(digits: "3f9c21ab")
        )
    ]

    private static let capturing: PairDescription = {
        var issued = pair(refresh: token)
        issued.captures = captures
        return issued
    }()

    private static let session: [any EventKind] = [
        Capabilities(
            dialect: "bitbasel",
            title: "BitBasel",
            baseURL: "http://127.0.0.1:1",
            rotation: .never,
            logoutScopes: [.this],
            hasFeed: true,
            hasProtectedRequest: true,
            vault: "memory",
            requestEvery: nil
        ),
        LoginStarted(),
        AuthorizationPrompt(
            url: "https://auth.example.com/authorize?state=s",
            isOpened: true,
            expiresAt: later
        ),
        AuthorizationPrompt(
            url: "https://auth.example.com/device",
            isOpened: false,
            expiresAt: later,
            device: AuthorizationPrompt.Device(userCode: "WDJB-MJHT")
        ),
        AuthorizationGranted(), LoginFailed(failure),
        IDTokenReport(
            fingerprint: Fingerprinter.testing.fingerprint(of: Secret("id-1")),
            check: IDTokenCheck(
                signature: .unchecked(reason: "no keys"),
                failure: IDTokenFailure(.audience, found: "other")
            )
        ),
        IDTokenReport(
            fingerprint: Fingerprinter.testing.fingerprint(of: Secret("id-1")),
            check: IDTokenCheck(signature: .valid(key: "k1"))
        ),
        LoginFailed(RefreshFailure(.authorization(.timedOut(.otherState)))),
        LoginFailed(RefreshFailure(.unsent(.unreachable(detail: "no route")))),
        TokensIssued(pair(refresh: token)), TokensIssued(pair(refresh: nil)),
        TokensIssued(capturing), CapturesChanged(captures), CapturesChanged([]),
        SessionDraining(endsAt: later, reason: .revoked),
        SessionDraining(endsAt: nil, reason: .revoked),
        RefreshTokenRefused(
            RefusalEvidence(
                age: 8,
                lifetime: nil,
                sendsWithoutAnswer: 1,
                possibleCauses: [.answerLost, .expired]
            )
        ),
        RefreshTokenRefused(refusal),
        EndedBefore(.revoked, at: Account().now, refusal: nil),
        EndedBefore(.revoked, at: Account().now, refusal: refusal),
        SignedOut(.user), SessionErased(after: .milliseconds(3)), RevocationChanged(.done),
    ]

    private static let experiments: [any EventKind] =
        Fault.ofClient.map { ExperimentStarted($0) }
        + verdicts.map { ExperimentResult(.expiredToken, $0) } + shifts

    private static let verdicts: [ExperimentVerdict] =
        [
            .tokenRefused(status: 401), .inconclusive(status: 503), .unanswered,
            .tokenAccepted(status: 200, secondsAfterEnd: nil),
            .tokenAccepted(status: 200, secondsAfterEnd: 3), .refusedAlone,
            .acceptedAgain(isSamePair: true), .sessionRevoked(wasAccepted: false),
            .sessionRevoked(wasAccepted: nil), .tokenRefused(status: 401, hasOtherCause: true),
            .feedReturned(seconds: 0.4, missed: 2), .feedReturnedSilent(seconds: 0.4),
            .feedStayedAway(seconds: 30), .interrupted, .onlyOneValid, .bothRefused, .notMade,
        ]

    private static let shifts: [any EventKind] =
        [
            ClockShifted(seconds: 300), ClockShifted(seconds: 0),
            FaultsChange(active: ["delay", "server-error:p=0.2"], by: .user),
            FaultsChange(active: [], by: .sandbox),
        ]

    private static let observed: [any EventKind] =
        [
            ObservedClient(peer: "127.0.0.1"), client,
            ObservedStatus.joined, ObservedStatus.live(until: later),
            ObservedStatus.live(until: nil),
            ObservedStatus.renewing(exchange: 7), ObservedStatus.refused(exchange: 6),
            ObservedStatus.expired, ObservedStatus.ended(.reuseDetected),
            TokenLink(
                kind: .joined,
                exchange: 1,
                generation: 1,
                confidence: .likely,
                cause: .start
            ),
            TokenLink(
                kind: .refresh,
                exchange: 15,
                generation: 2,
                branch: "b",
                parent: Fingerprint(digits: "3f9c21ab"),
                access: Fingerprint(digits: "0011aabb"),
                refresh: Fingerprint(digits: "ccdd2233"),
                confidence: .certain,
                cause: .refused(exchange: 14)
            ),
            finding(), finding(variant: "restart", path: "/auth/refresh"),
            scorecard, markedScorecard,
            ForgottenSession(limit: 1_024, lastUsedAt: later, hasEnded: false),
            Omission(.requests, count: 12), ObservedCoverage(),
            MisdirectedRequest(host: "app.test", isURL: false, isAllowable: true, count: 1),
            MisdirectedRequest(host: "192.0.2.7", isURL: true, isAllowable: false, count: 2),
        ]

    private static let scorecard = Scorecard(
        number: 1,
        experiment: .unauthorized.at(.app),
        lines: [
            Scorecard.Line(.renewsOnce, .passed, exchanges: [31]),
            Scorecard.Line(.repeats, .failed, exchanges: [30]),
            Scorecard.Line(.keepsSession, .open),
            Scorecard.Line(.dialsWithNewer, .notReached),
        ],
        startedAt: Account().now,
        injected: [30]
    )

    private static let markedScorecard = Scorecard(
        number: 2,
        experiment: .serverError.at(.app).set(to: 503, 2),
        startedAt: Account().now,
        isOver: true,
        mark: "keeps me in"
    )

    private static let client = ObservedClient(
        peer: "10.0.0.7",
        userAgent: "okhttp/4.12",
        origin: "http://localhost:5173",
        name: "ios",
        process: ClientProcess(name: "app.py", id: 4_121)
    )

    private static func finding(
        variant: String? = nil,
        path: String? = nil
    ) -> ObservedFinding {
        ObservedFinding(
            number: 1,
            rule: "race",
            variant: variant,
            severity: .bug,
            confidence: .certain,
            evidence: [
                FindingEvidence(.exchange(31), "first refresh, answered 200"),
                FindingEvidence(.socket(4), "open on the old token"),
                FindingEvidence(.token(Fingerprint(digits: "3f9c21ab")), "sent twice"),
            ],
            message: "two refreshes at once",
            remedy: "One refresh at a time.",
            references: ["acme/app#1"],
            path: path,
            firstAt: Account().now,
            lastAt: Account().now,
            count: variant == nil ? 1 : 3,
            experiment: variant == nil ? nil : "expire-burst",
            mark: variant == nil ? nil : "keeps me in"
        )
    }

    private static let states: [any EventKind] =
        ([
            .fresh, .signedOut(.user), .draining(.revoked), .signingOut(.everywhere),
            .retrying(RetryOutlook(failures: 1, failure: failure, nextAt: later)),
            .expired(RetryOutlook(failures: 2, failure: failure, nextAt: nil, hold: .use)),
        ] as [SessionState]).map { SessionStateChanged(from: .cold, to: $0, why: .login) }

    private static let renewal: [any EventKind] = [
        RefreshStarted(flight: 1, cause: .timer),
        RefreshStarted(flight: 1, cause: .timer, request: 7),
        TokenAwaited(since: Account().now), TokenAwaited(since: nil),
        RefreshSucceeded(
            flight: 1,
            roundTrip: .milliseconds(12),
            remainingLead: .seconds(4),
            rotated: true
        ),
        RefreshFailed(flight: 1, failure: failure, attempt: 1, nextAt: later),
        RefreshFailed(
            flight: 1,
            failure: RefreshFailure(.unanswered(detail: "cut off")),
            attempt: 1,
            nextAt: nil
        ),
        RenewalPlanned(.scheduled(at: later, .accessTokenEnds)), RenewalPlanned(.underWay),
        RenewalPlanned(.awaitsLock(since: later, by: 4121)),
        RenewalPlanned(.held(.paused)), RenewalPlanned(.impossible(.accessExpired)),
        NoProgress(), GraceRecovered(after: .unusable), GraceRecovered(after: nil),
        CircuitBreakerOpened(until: later), RenewalPaused(.timer, by: .user),
        RenewalPaused(.all, by: .user), RenewalResumed(by: .background),
    ]

    private static let conditions: [any EventKind] = [
        UserChange(before: "7", after: "8"),
        UserChange(before: "7", after: "8", isUsed: false),
        ScopesLost(["write"]),
        ExpiryMismatch(token: .access, readings: [Expiry.Reading(source: .lifetime, seconds: 9)]),
        SkewChanged(ServerOffset(low: -0.2, likelyHigh: 0.7)),
        SkewChanged(ServerOffset(low: -0.2, likelyHigh: 0.7, high: 1.9)),
        Interruption(cause: .stopped, duration: .seconds(9)), WallClockStepped(seconds: -3600),
        BackendProbed(reached: false), ProtocolError(failure),
        ActionRejected(.signedInAlready),
        EventsDropped(count: 7),
    ]

    private static let vault: [any EventKind] = [
        PairAdopted(), JournalRecovered(),
        PairUnsaved(VaultProblem(message: "disk full")), PairSaved(),
        request(.answered(status: 200), token: Fingerprint(digits: "3f9c21ab")),
        request(.notSent(.unreachable(detail: "no route")), token: nil),
        request(.unanswered(detail: "cut off"), token: nil),
        IntrospectionResult(
            question: .access,
            token: Fingerprint(digits: "0011aabb"),
            answer: .stated(
                TokenStatement(
                    isActive: true,
                    expiresAt: 1_763_733_660,
                    scope: "read",
                    subject: "7",
                    clientID: "app",
                    tokenType: "Bearer"
                )
            ),
            differences: [.end(seconds: -40), .subject]
        ),
        IntrospectionResult(
            question: .user,
            token: Fingerprint(digits: "0011aabb"),
            answer: .unusable(status: 404)
        ),
        SessionListUpdate.listed([ListedSession(id: "a")]), SessionListUpdate.ended("a"),
        SessionListUpdate.failed(SessionListFailure(.list, .inconclusive(status: 404))),
    ]

    private static let feed: [any EventKind] =
        [
            FeedDialing(socket: 1, generation: 1, target: "/ws"),
            FeedOpened(socket: 1, generation: 1, after: .milliseconds(3)),
            FeedSwitched(from: 1, to: 2, duplicates: 0, gap: 1, after: .seconds(1)),
            FeedClosed(socket: 1, code: 1000, by: .peer, reason: ""),
            FeedRefused(socket: 1, status: 401),
            FeedRefused(
                socket: 1,
                status: 403,
                evidence: ResponseEvidence(
                    statusLine: "HTTP/1.1 403 Forbidden",
                    headers: [WireHeader("Date", "x")],
                    fieldsLeftOut: 3,
                    body: "no",
                    bodyBytes: 2,
                    rule: .status,
                    demand: "insufficient_scope scope=read"
                ),
                serverWords: "no"
            ), FeedFailed(socket: 1, why: .tokenReplaced),
            FeedMessageReceived(
                socket: 1,
                id: "m",
                seq: 2,
                type: "post",
                excerpt: "{}",
                isDuplicate: true
            ),
            FeedMessageReceived(
                socket: 1,
                id: nil,
                seq: nil,
                type: nil,
                excerpt: "{}",
                isDuplicate: false
            ),
            FeedMessagesMissing(socket: 1, after: 3, before: 6),
            FeedControlReceived(socket: 1, type: "hello", excerpt: "{}"),
            FeedControlReceived(socket: 1, type: nil, excerpt: "{}"),
            FeedPinged(
                socket: 1,
                roundTrip: .milliseconds(1),
                traffic: FeedTraffic(received: 120, content: 400)
            ),
            FeedPinged(socket: 1, roundTrip: .milliseconds(1)), FeedAliveAfterLogout(socket: 1),
            FeedStateChanged(.idle), FeedStateChanged(.dialing(socket: 1, generation: 1)),
            FeedStateChanged(.open(socket: 1, generation: 1, since: .origin)),
            FeedStateChanged(.rotating(old: 1, new: 2, generation: 2)),
            FeedStateChanged(.backoff(attempt: 1, nextAt: later, why: .closed(code: 1006))),
            FeedStateChanged(.refused(status: 403, nextAt: later)),
            FeedStateChanged(.stopped(why: .upgradeRefused(status: 404))),
        ]

    private static let token = TokenDescription(
        fingerprint: Fingerprint(digits: "3f9c21ab"),
        format: .webToken(algorithm: "HS256"),
        byteCount: 212,
        claims: [:]
    )

    private static let unusable = UnusableExpiry(place: "exp", problem: .milliseconds)

    private static func pair(refresh: TokenDescription?) -> PairDescription {
        let isFull = refresh != nil
        let expiry = Deadline(
            at: later,
            lifetime: .seconds(20),
            expiry: refresh == nil
                ? Expiry(seconds: 20, source: .lifetime)
                : Expiry(seconds: 20, source: .timestamp, skewWidth: 0.5)
        )
        var pair = PairDescription(
            origin: .login,
            access: isFull ? token : nil,
            refresh: refresh,
            issuedAt: Account().now,
            accessExpiry: isFull ? expiry : nil,
            refreshExpiry: isFull ? expiry : nil,
            rotated: isFull
        )
        guard isFull else { return pair }
        pair.keepsAccess = true
        pair.unusableExpiries = UnusableExpiries(access: [unusable], refresh: [unusable])
        pair.usableUntil = later
        pair.statements.subject = "123"
        pair.statements.scopes = ["read", "write"]
        pair.statements.displayName = "Ada"
        pair.statements.account = [AccountDetail(path: "user.plan", value: "pro")]
        pair.request = 7
        pair.keptRefresh = .spent
        return pair
    }

    private static func request(
        _ result: Exchange.Result,
        token: Fingerprint?
    ) -> Exchange {
        var record = Exchange.sample(.protected, result)
        record.fingerprint = token
        record.retryOf = token == nil ? nil : 1
        record.isNonceRetry = token == nil ? nil : true
        record.flight = token == nil ? nil : 1
        record.tokenAge = token == nil ? nil : 7
        record.client = token == nil ? nil : client
        record.acceptance = token == nil ? nil : .undecided
        record.serverWords = token == nil ? nil : "slow down"
        record.experiment = token == nil ? nil : "expire"
        record.isUndelivered = token == nil ? nil : true
        record.trace =
            token == nil
            ? nil : TraceContext(parsing: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        record.corsAddedFor = token == nil ? nil : "http://localhost:5173"
        record.evidence =
            token == nil
            ? nil
            : ResponseEvidence(
                statusLine: "HTTP/1.1 200 OK",
                headers: [WireHeader("Retry-After", "7"), WireHeader("Retry-After", "9")],
                fieldsLeftOut: 3,
                body: "{}",
                bodyBytes: 2,
                rule: .terminal(RuleCondition(statuses: [401], key: "detail")),
                demand: "insufficient_user_authentication max_age=5"
            )
        return record
    }
}
