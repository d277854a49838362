import Basics
import Client
import FoundationEssentials
import Model

@testable import Profiles

/// Causes and failures of every kind, with and without what others say of them.
///
/// Each chain names the case that follows a case: a new one does not compile until it is in it.
enum CauseSamples {
    /// From the first case to the last one.
    private static func chain<Cause>(_ following: (Cause?) -> Cause?) -> [Cause] {
        var all: [Cause] = []
        while let next = following(all.last) { all.append(next) }
        return all
    }

    private static let details: [String?] = [nil, "", "the disk says no"]

    static let vaultProblems = VaultProblem.Kind.allCases.flatMap { kind in
        ["", "cannot write the record"].map { VaultProblem(kind, message: $0) }
    }

    static let credentials = [
        CredentialProblem(credential: "identity_token"),
        CredentialProblem(
            credential: "identity_token",
            place: CredentialProblem.Place(profile: "acme", variable: "AUTHTOP_ACME_PASSWORD")
        ),
    ]

    private static let capture = CaptureReference(name: "csrf", source: "cookie:csrf_token")

    static let unsent: [UnsentCause] = {
        var all: [UnsentCause] = []
        for detail in ["", "the disk says no"] {
            all += chain { (cause: UnsentCause?) -> UnsentCause? in
                switch cause {
                case nil: .unreachable(detail: detail)
                case .unreachable: .credential(credentials[0])
                case .credential: .noEndpoint(dialect: "acme")
                case .noEndpoint: .unusableRequest(detail: detail)
                case .unusableRequest: .missingCapture(capture)
                case .missingCapture: .unusableHeader(name: "X-CSRF-Token")
                case .unusableHeader: .unusablePath(capture)
                case .unusablePath: nil
                }
            }
        }
        for credential in credentials { all.append(.credential(credential)) }
        return all
    }()

    static let failures: [RefreshFailure] = {
        var all: [RefreshFailure] = []
        for detail in details {
            for problem in vaultProblems {
                for cause in causes(detail, problem) { all.append(RefreshFailure(cause)) }
            }
        }
        for cause in unsent { all.append(RefreshFailure(.unsent(cause))) }
        for failure in authorizations { all.append(RefreshFailure(.authorization(failure))) }
        for failure in idTokens { all.append(RefreshFailure(.idToken(failure))) }
        return all.distinct
    }()

    private static let authorizations: [AuthorizationFailure] = {
        var all = chain { (failure: AuthorizationFailure?) -> AuthorizationFailure? in
            switch failure {
            case nil: .refused(error: "access_denied", description: "no")
            case .refused: .cancelled
            case .cancelled: .timedOut(nil)
            case .timedOut: .rejected(.noCode)
            case .rejected: .notListening(detail: "port 1: in use")
            case .notListening: .codeExpired
            case .codeExpired: .noUser
            case .noUser: nil
            }
        }
        all.append(.refused(error: "access_denied", description: nil))
        for problem in RedirectProblem.allCases { all += [.timedOut(problem), .rejected(problem)] }
        return all
    }()

    private static let idTokens: [IDTokenFailure] = IDTokenRule.allCases.flatMap { rule in
        [nil, "https://evil.example"].map { IDTokenFailure(rule, found: $0) }
    }

    private static func causes(
        _ detail: String?,
        _ problem: VaultProblem
    ) -> [RefreshFailure.Cause] {
        chain { (cause: RefreshFailure.Cause?) -> RefreshFailure.Cause? in
            switch cause {
            case nil: .lockHeld
            case .lockHeld: .vault(problem)
            case .vault: .unstorable(problem)
            case .unstorable: .vaultChanged
            case .vaultChanged: .replaced
            case .replaced: .paused
            case .paused: .unsaved(problem)
            case .unsaved: .circuitBreakerOpen
            case .circuitBreakerOpen: .expiredOnArrival
            case .expiredOnArrival: .networkAbsent
            case .networkAbsent: .authorization(authorizations[0])
            case .authorization: .idToken(idTokens[0])
            case .idToken: .unsent(unsent[0])
            case .unsent: .interrupted
            case .interrupted: .unanswered(detail: detail ?? "")
            case .unanswered: .answerDiscarded
            case .answerDiscarded: .unusableAnswer(status: 200, detail: detail ?? "")
            case .unusableAnswer: .refreshTokenOnly(status: 503, detail: detail)
            case .refreshTokenOnly:
                .anotherUser(UserChange(before: "ada", after: "bob", isUsed: false))
            case .anotherUser: .unavailable(status: 503, detail: detail)
            case .unavailable: .notUnderstood(status: 400, detail: detail)
            case .notUnderstood: .clientForgotten(status: 401, detail: detail)
            case .clientForgotten: .forbidden(status: 403, detail: detail, captures: [capture])
            case .forbidden: .refreshTokenRefused(status: 401, detail: detail)
            case .refreshTokenRefused: .credentialsRefused(status: 401, detail: detail)
            case .credentialsRefused: nil
            }
        }
    }

    static let stateChanges: [StateChangeCause] = {
        var all: [StateChangeCause] = []
        all += chain { (cause: StateChangeCause?) -> StateChangeCause? in
            switch cause {
            case nil: .login
            case .login: .imported
            case .imported: .logout
            case .logout: .nothingStored
            case .nothingStored: .vault(vaultProblems[0])
            case .vault: .renewal(.timer)
            case .renewal: .pair(.login)
            case .pair: .failure(failures[0])
            case .failure: .ended(.user)
            case .ended: .accessTokenEnded
            case .accessTokenEnded: .observed
            case .observed: nil
            }
        }
        all += RefreshCause.allCases.map { .renewal($0) }
        all += PairDescription.Origin.allCases.map { .pair($0) }
        all += SignedOutReason.allCases.map { .ended($0) }
        return all
    }()

    static let requests: [RequestCause] = {
        var all: [RequestCause] = []
        all += chain { (cause: RequestCause?) -> RequestCause? in
            switch cause {
            case nil: .login
            case .login: .refresh(.timer)
            case .refresh: .abandonedRefresh
            case .abandonedRefresh: .logout(.this)
            case .logout: .interval(seconds: 0.5)
            case .interval: .user
            case .user: .custom
            case .custom: .experiment(.feedClose.at(.client))
            case .experiment: .observed(.unknown)
            case .observed: nil
            }
        }
        all += [
            .refused(exchange: 4), .beforeEnd(seconds: 61), .afterEnd(seconds: 2), .start,
            .retry(of: 7),
        ].map { .observed($0) }
        all += RefreshCause.allCases.map { .refresh($0) }
        all += [.logout(.everywhere), .interval(seconds: 2)]
        return all
    }()

    private static let moment = Moment(now: .origin, wall: Date(timeIntervalSince1970: 0))

    static let refusals: [RefusalEvidence] = [
        refusal(lifetime: nil, PossibleCause.allCases), refusal(lifetime: 300, [.expired]),
        refusal(lifetime: 300, []),
        refusal(lifetime: 20_000, [.lifetimeMisread]),
    ]

    private static func refusal(
        lifetime: Double?,
        _ causes: [PossibleCause]
    ) -> RefusalEvidence {
        RefusalEvidence(age: 8, lifetime: lifetime, sendsWithoutAnswer: 1, possibleCauses: causes)
    }

    static let rules: [DecidingRule] =
        chain { (rule: DecidingRule?) -> DecidingRule? in
            switch rule {
            case nil: .terminal(RuleCondition(statuses: [401], key: "detail"))
            case .terminal: .clientFault(RuleCondition(values: [.string("x")], missing: "data"))
            case .clientFault: .failureFlag
            case .failureFlag: .cookieDeleted("refresh")
            case .cookieDeleted: .rejected
            case .rejected: .expired
            case .expired: .expiredError("invalid")
            case .expiredError: .notExpiredError("scope")
            case .notExpiredError: .refused(RuleCondition(header: "X-Error: expired"))
            case .refused: .notRenewable(RuleCondition(words: ["step up"]))
            case .notRenewable: .recognized
            case .recognized: .success
            case .success: .refreshTokenOnly
            case .refreshTokenOnly: .unreadable
            case .unreadable: .neverTerminal
            case .neverTerminal: .status
            case .status: .pending
            case .pending: .unlisted
            case .unlisted: nil
            }
        }

    static let rejections: [ActionRejection] = chain { rejection in
        switch rejection {
        case nil: .renewalUnderWay
        case .renewalUnderWay: .signedInAlready
        case .signedInAlready: .vaultNotRead
        case .vaultNotRead: .nothingToRenew
        case .nothingToRenew: .refreshTokenRefused
        case .refreshTokenRefused: .nothingToEnd
        case .nothingToEnd: .noLogoutEverywhere(dialect: "acme")
        case .noLogoutEverywhere: .needsRefreshToken
        case .needsRefreshToken: .needsAccessToken
        case .needsAccessToken: .experimentUnderWay
        case .experimentUnderWay: .noExpiredToken(endsAt: nil)
        case .noExpiredToken: .noReplacedToken
        case .noReplacedToken: .noRefreshToken
        case .noRefreshToken: .noOpenFeed
        case .noOpenFeed: .noProtectedRequest
        case .noProtectedRequest: nil
        }
    }

    static let waitFailures: [WaitFailure] = chain { failure in
        switch failure {
        case nil: .signedOut(.consumeWithoutReturn)
        case .signedOut: .notRenewed(retryAt: nil)
        case .notRenewed: .timedOut
        case .timedOut: .cancelled
        case .cancelled: .vaultUnavailable(vaultProblems[0])
        case .vaultUnavailable: .circuitBreakerOpened(until: .origin)
        case .circuitBreakerOpened: nil
        }
    }

    static let loginResults: [LoginResult] =
        failures.map { .failed($0) } + rejections.map { .rejected($0) }
        + SignedOutReason.allCases.map { .signedOut($0) } + [.loggedIn, .adopted, .cancelled]

    static let refreshResults: [RefreshResult] =
        failures.flatMap { [.failed($0), .lost($0), .loginFailed($0)] }
        + rejections.map { .rejected($0) }
        + SignedOutReason.allCases.flatMap { [.signedOut($0), .draining($0, until: nil)] }
        + vaultProblems.map { .vaultUnavailable($0) }
        + [.renewed(roundTrip: nil), .adopted, .loggedIn, .noRefreshToken, .cancelled]

    static let logoutResults: [LogoutResult] =
        RevocationPhase.allCases.map { .ended(LogoutReport(revocation: $0)) }
        + rejections.map { .rejected($0) } + SignedOutReason.allCases.map { .signedOut($0) }
        + vaultProblems.flatMap { [.vaultUnavailable($0), .unsaved($0, LogoutReport())] }
        + [.ended(LogoutReport()), .cancelled]

    static let requestEnds: [RequestEnd] = {
        var all: [RequestEnd] = []
        all += chain { (end: RequestEnd?) -> RequestEnd? in
            switch end {
            case nil: .accepted(status: 200)
            case .accepted: .listed([], status: 200)
            case .listed: .inconclusive(status: 404)
            case .inconclusive: .rejected(status: 401)
            case .rejected: .noToken(.timedOut)
            case .noToken: .notSent(unsent[0])
            case .notSent: .unanswered(detail: "the connection broke")
            case .unanswered: nil
            }
        }
        all += [.inconclusive(status: 500)]
        all += waitFailures.map { .noToken($0) }
        all += unsent.map { .notSent($0) }
        return all
    }()

    static let listFailures = SessionListFailure.Request.allCases.flatMap { request in
        requestEnds.map { SessionListFailure(request, $0) }
    }

    static let feed: [FeedCause] = ["", "connection refused"].flatMap { detail in
        [404, 302].flatMap { status in
            chain { (cause: FeedCause?) -> FeedCause? in
                switch cause {
                case nil: .closed(code: 1006)
                case .closed: .upgradeRefused(status: status)
                case .upgradeRefused: .unreachable(detail: detail)
                case .unreachable: .tokenReplaced
                case .tokenReplaced: .awaitsRenewal
                case .awaitsRenewal: .refusedByMessage(words: "token expired")
                case .refusedByMessage: .unanswered(expectation: "heartbeat", seconds: 10)
                case .unanswered: .missingCapture(capture)
                case .missingCapture: .unusableHeader(name: "X-CSRF-Token")
                case .unusableHeader: nil
                }
            }
        }
    }.distinct
}

extension Array where Element: Hashable {
    fileprivate var distinct: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

extension CauseSamples {
    /// Every answer of a server about each kind of token.
    static let introspections: [IntrospectionResult] = TokenQuestion.allCases.flatMap { question in
        let answers: [IntrospectionResult.Answer] =
            [true, false, nil].map { .stated(TokenStatement(isActive: $0, subject: "7")) }
            + [.refused(status: 401), .unusable(status: 404), .unanswered(detail: "timed out")]
            + unsent.map { .notSent($0) }
        return answers.flatMap { answer in
            [[], [.inactive], [.end(seconds: -40), .subject]].map { differences in
                IntrospectionResult(
                    question: question,
                    token: Fingerprint(digits: "0011aabb"),
                    answer: answer,
                    differences: differences
                )
            }
        }
    }

    /// Every event that carries a cause, with each of them.
    static let events: [any EventKind] = {
        var all: [any EventKind] = []
        all += failures.flatMap { failure -> [any EventKind] in
            [
                LoginFailed(failure), ProtocolError(failure),
                RefreshStarted(flight: 1, cause: .timer),
                RefreshFailed(flight: 1, failure: failure, attempt: 1, nextAt: nil),
            ]
        }
        all += states.map { SessionStateChanged(from: .cold, to: $0, why: .login) }
        all += stateChanges.map { SessionStateChanged(from: .cold, to: .fresh, why: $0) }
        all += failures.map { SessionStateChanged(from: .cold, to: .fresh, why: .failure($0)) }
        all += vaultProblems.map { SessionStateChanged(from: .cold, to: .fresh, why: .vault($0)) }
        all += RefreshCause.allCases.map { RefreshStarted(flight: 1, cause: $0) }
        all += plans.map { RenewalPlanned($0) }
        all += requests.map { record(.answered(status: 200), why: $0) }
        all += unsent.map { record(.notSent($0), why: .user) }
        all += [record(.unanswered(detail: "the connection broke"), why: .user)]
        all += rejections.map { ActionRejected($0) }
        all += vaultProblems.map { PairUnsaved($0) }
        all += listFailures.map { SessionListUpdate.failed($0) }
        all += introspections as [any EventKind]
        all += feed.flatMap { cause -> [any EventKind] in
            [
                FeedFailed(socket: 1, why: cause),
                FeedStateChanged(.backoff(attempt: 1, nextAt: .origin, why: cause)),
                FeedStateChanged(.stopped(why: cause)),
            ]
        }
        all += SignedOutReason.allCases.flatMap { reason -> [any EventKind] in
            [SignedOut(reason), SessionDraining(endsAt: nil, reason: reason)]
        }
        all += refusals.map { RefreshTokenRefused($0) }
        all += SignedOutReason.allCases.map { EndedBefore($0, at: moment, refusal: nil) }
        all += RevocationPhase.allCases.map { RevocationChanged($0) }
        all += PauseCause.allCases.flatMap { cause -> [any EventKind] in
            [
                RenewalPaused(.timer, by: cause), RenewalPaused(.all, by: cause),
                RenewalResumed(by: cause),
            ]
        }
        all += Fault.ofClient.map { ExperimentStarted($0) }
        all += experiments as [any EventKind]
        all += [-300, 0, 60].map { ClockShifted(seconds: $0) }
        all += FaultsChange.Origin.allCases.flatMap { origin -> [any EventKind] in
            [[], ["delay"], ["delay", "rate-limit"]].map {
                FaultsChange(active: $0, by: origin)
            }
        }
        return all
    }()

    /// Every experiment with every verdict.
    static let experiments: [ExperimentResult] = {
        let verdicts = chain { (verdict: ExperimentVerdict?) -> ExperimentVerdict? in
            switch verdict {
            case nil: .tokenRefused(status: 401, hasOtherCause: false)
            case .tokenRefused(_, false): .tokenRefused(status: 401, hasOtherCause: true)
            case .tokenRefused: .tokenAccepted(status: 200, secondsAfterEnd: nil)
            case .tokenAccepted(_, nil): .tokenAccepted(status: 200, secondsAfterEnd: 3)
            case .tokenAccepted: .inconclusive(status: 503)
            case .inconclusive: .unanswered
            case .unanswered: .refusedAlone
            case .refusedAlone: .acceptedAgain(isSamePair: true)
            case .acceptedAgain(true): .acceptedAgain(isSamePair: false)
            case .acceptedAgain: .onlyOneValid
            case .onlyOneValid: .bothRefused
            case .bothRefused: .sessionRevoked(wasAccepted: true)
            case .sessionRevoked(true): .sessionRevoked(wasAccepted: false)
            case .sessionRevoked(false): .sessionRevoked(wasAccepted: nil)
            case .sessionRevoked: .feedReturned(seconds: 1, missed: 0)
            case .feedReturned(_, 0): .feedReturned(seconds: 1, missed: 2)
            case .feedReturned: .feedReturnedSilent(seconds: 1)
            case .feedReturnedSilent: .feedStayedAway(seconds: 30)
            case .feedStayedAway: .notMade
            case .notMade: .interrupted
            case .interrupted: nil
            }
        }
        return Fault.ofClient.flatMap { experiment in
            verdicts.map { ExperimentResult(experiment, $0) }
        }
    }()

    static let plans: [RenewalPlan] =
        RenewalReason.allCases.map { .scheduled(at: .origin, $0) }
        + [.underWay, .awaitsLock(since: .origin)]
        + RenewalHold.allCases.map { .held($0) }
        + SignedOutReason.allCases.map { .impossible($0) }

    /// Every state, with each cause that it can have.
    static let states: [SessionState] = {
        var all: [SessionState] = []
        all += chain { (state: SessionState?) -> SessionState? in
            switch state {
            case nil: .cold
            case .cold: .vaultUnavailable(vaultProblems[0])
            case .vaultUnavailable: .signedOut(.never)
            case .signedOut: .signingIn
            case .signingIn: .fresh
            case .fresh: .renewing
            case .renewing: .retrying(outlook(failures[0]))
            case .retrying: .blocked
            case .blocked: .expired(outlook(failures[0]))
            case .expired: .unknown(outlook(failures[0]))
            case .unknown: .draining(.revoked)
            case .draining: .signingOut(.this)
            case .signingOut: nil
            }
        }
        all += vaultProblems.map { .vaultUnavailable($0) }
        all += SignedOutReason.allCases.flatMap { [.signedOut($0), .draining($0)] }
        all += failures.flatMap { failure -> [SessionState] in
            let outlook = outlook(failure)
            return [.retrying(outlook), .expired(outlook), .unknown(outlook)]
        }
        all += RetryOutlook.Hold.allCases.flatMap { hold -> [SessionState] in
            let outlook = RetryOutlook(failures: 0, failure: failures[0], nextAt: nil, hold: hold)
            return [.retrying(outlook), .expired(outlook), .unknown(outlook)]
        }
        return all
    }()

    private static func outlook(_ failure: RefreshFailure) -> RetryOutlook {
        RetryOutlook(failures: 2, failure: failure, nextAt: .origin)
    }

    private static func record(
        _ result: Exchange.Result,
        why: RequestCause
    ) -> Exchange {
        Exchange(
            id: 1,
            purpose: .protected,
            method: "GET",
            target: "/me",
            result: result,
            seconds: 0.01,
            generation: 1,
            why: why
        )
    }
}
