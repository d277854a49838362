/// Answers in the backend's place, and answers that are changed.
extension Fault {
    /// In the order of the list.
    static let ofAnswers: [Fault] = [
        .webPage, .unauthorized, .expireBurst, .refuseRefresh, .rateLimit, .serverError,
        .errorAfterCommit, .errorWithTokens, .bareRefusal, .earlyRevocation, .missingRefreshToken,
        .skewedDate, .notFound,
    ]

    // MARK: - In the backend's place

    /// As by a captive portal, or by a proxy in the backend's place.
    package static let webPage = Fault(
        .answer(.page),
        FaultRole(.backend, "html-200", in: .all) { _ in
            "a web page comes as the answer, with 200"
        },
        FaultRole(.app, "portal", in: [.refresh], watch: 60, checks: [.asksAgain, .keepsSession]) {
            _ in "answers the next refresh with a page, as a network that wants a login"
        }
    )

    /// As by a backend that does not know the token yet, or a worker whose clock is ahead.
    package static let unauthorized = Fault(
        .refuseAccess,
        FaultRole(.backend, "unauthorized", in: [.protected, .feed]) { _ in
            "a live access token is refused (401)"
        },
        FaultRole(
            .app,
            "expire",
            in: [.protected, .feed],
            watch: 30,
            checks: [.renewsOnce, .repeats, .dialsWithNewer, .keepsSession]
        ) { _ in "refuses the session's access token until the app has renewed it" }
    )

    package static let expireBurst = Fault(
        .refuseAccessAtOnce,
        FaultRole(
            .app,
            "expire-burst",
            in: [.protected, .feed],
            watch: 30,
            checks: [.renewsOnce, .repeats, .dialsWithNewer, .keepsSession]
        ) { _ in "the same as expire, with the first refusals all at once" }
    )

    package static let refuseRefresh = Fault(
        .refuseRefresh,
        FaultRole(
            .app,
            "refuse-refresh",
            in: [.refresh],
            watch: 30,
            checks: [.stopsRefreshing, .stopsSending, .closesSockets]
        ) { _ in "refuses the next refresh for good; the backend does not get it" }
    )

    /// A rate limit says nothing about a token (RFC 6585 section 4).
    package static let rateLimit = Fault(
        .answer(.limit),
        FaultRole(
            .backend,
            "rate-limit",
            in: .all,
            [FaultParameter(.seconds, 0...86_400)]
        ) { _ in "429, mostly with Retry-After" },
        FaultRole(
            .app,
            "limit",
            in: [.refresh],
            [FaultParameter(.seconds, 1...600, usual: 5)],
            watch: 120,
            checks: [.waitsAsTold, .keepsSession, .recovers]
        ) { "answers refreshes with 429 and Retry-After for \($0[.seconds]) s" }
    )

    package static let serverError = Fault(
        .answer(.status([500, 502, 503])),
        FaultRole(
            .backend,
            "server-error",
            in: .all,
            [.serverStatus]
        ) { _ in "500, 502 or 503 in place of acting" },
        FaultRole(
            .app,
            "blip",
            in: [.refresh],
            [
                FaultParameter(.status, 500...599, usual: 503),
                FaultParameter(.count, 1...20, usual: 2),
            ],
            watch: 120,
            checks: [.backsOff, .keepsSession, .recovers]
        ) { "answers \($0[.count]) refresh\($0[.count] == 1 ? "" : "es") with \($0[.status])" }
    )

    /// As by a proxy in the backend's place, without a body in the dialect's format.
    package static let bareRefusal = Fault(
        .answer(.status([401])),
        FaultRole(.backend, "bare-refusal", in: [.refresh]) { _ in "an empty 401 in place of acting"
        }
    )

    /// As by a router that does not know the path.
    package static let notFound = Fault(
        .answer(.status([404])),
        FaultRole(.backend, "not-found", in: .all) { _ in "404 in place of acting" }
    )

    // MARK: - After it has acted

    /// As by a gateway that times out on a backend that has acted: an error hides a success.
    package static let errorAfterCommit = Fault(
        .replaceAnswer,
        FaultRole(
            .backend,
            "error-after-commit",
            in: .requests,
            [.serverStatus]
        ) { _ in "the backend acts, and 502 or 504 is sent" }
    )

    /// As by a handler that fails once its answer is written: an error has tokens beside it, and the
    /// refresh token that was sent is spent.
    package static let errorWithTokens = Fault(
        .spoilStatus,
        FaultRole(
            .backend,
            "error-with-tokens",
            in: [.refresh],
            [.serverStatus]
        ) { _ in "the tokens come with 500 or 503" }
    )

    /// The answer is still true; the next use of the session's tokens is rejected.
    package static let earlyRevocation = Fault(
        .revokeSession,
        FaultRole(.backend, "early-revocation", in: [.login, .refresh, .protected]) { _ in
            "the session is revoked once it is answered"
        }
    )

    /// The backend issued the token, and would accept it.
    package static let missingRefreshToken = Fault(
        .removeRefreshToken,
        FaultRole(.backend, "missing-refresh-token", in: [.refresh]) { _ in
            "the new refresh token is left out"
        },
        FaultRole(.app, "no-refresh-token", in: [.refresh], checks: [.keepsOldToken]) { _ in
            "takes the refresh token out of the next answer to a refresh"
        }
    )

    package static let skewedDate = Fault(
        .shiftDate,
        FaultRole(
            .backend,
            "skewed-date",
            in: .requests,
            [FaultParameter(.seconds, -31_536_000...31_536_000)]
        ) { _ in "the answer's Date is wrong by up to 1 h" },
        FaultRole(
            .app,
            "skew",
            in: .requests,
            [FaultParameter(.seconds, -86_400...86_400, usual: 300)],
            watch: 120,
            checks: [.renewsNoSooner, .sendsNothingExpired]
        ) { "shifts the Date of every answer by \($0[.seconds]) s for 2 m" }
    )
}
