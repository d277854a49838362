/// The faults between an app and its backend: the experiments with an app.
extension Fault {
    /// In the order of the list.
    static let app: [Fault] = [
        .shortLife, .expire, .expireBurst, .loseAnswer, .slowRefresh, .refuseRefresh, .blip, .limit,
        .portal, .cut, .mute, .noRefreshToken, .skew,
    ]

    // MARK: - Access tokens

    package static let shortLife = Fault(
        "short-life",
        at: [.app],
        .shortenLife,
        in: .requests,
        [FaultParameter(.seconds, 2...86_400, usual: 20)],
        checks: [.renewsBeforeEnd, .isNotRefused]
    ) { "access tokens live \($0[.seconds]) s, whatever the backend says, until it is stopped" }

    package static let expire = Fault(
        "expire",
        at: [.app],
        .refuseAccess,
        in: [.protected, .feed],
        watch: 30,
        checks: [.renewsOnce, .repeats, .dialsWithNewer, .keepsSession]
    ) { _ in "refuses the session's access token until the app has renewed it" }

    package static let expireBurst = Fault(
        "expire-burst",
        at: [.app],
        .refuseAccessAtOnce,
        in: [.protected, .feed],
        watch: 30,
        checks: [.renewsOnce, .repeats, .dialsWithNewer, .keepsSession]
    ) { _ in "the same as expire, with the first refusals all at once" }

    // MARK: - Refreshes

    package static let loseAnswer = Fault(
        "lose-answer",
        at: [.app],
        .loseAnswer,
        in: [.refresh],
        [.hangs],
        watch: 90,
        checks: [.asksAgain, .asksRarely, .endsOnlyIfRefused]
    ) { fault in
        "the backend answers the next refresh, and the app "
            + (fault[.hangs] == 1
                ? "waits for an answer that never comes" : "finds its connection reset")
    }

    package static let slowRefresh = Fault(
        "slow-refresh",
        at: [.app],
        .delayAnswer,
        in: [.refresh],
        [FaultParameter(.seconds, 1...600, usual: 10)],
        watch: 10,
        checks: [.waitsForRefresh, .sendsNothingExpired]
    ) { "holds the answer to the next refresh for \($0[.seconds]) s" }

    package static let refuseRefresh = Fault(
        "refuse-refresh",
        at: [.app],
        .refuseRefresh,
        in: [.refresh],
        watch: 30,
        checks: [.stopsRefreshing, .stopsSending, .closesSockets]
    ) { _ in "refuses the next refresh for good; the backend does not get it" }

    package static let blip = Fault(
        "blip",
        at: [.app],
        .answer(.status([503])),
        in: [.refresh],
        [
            FaultParameter(.status, 500...599, usual: 503),
            FaultParameter(.count, 1...20, usual: 2),
        ],
        watch: 120,
        checks: [.backsOff, .keepsSession, .recovers]
    ) { "answers \($0[.count]) refresh\($0[.count] == 1 ? "" : "es") with \($0[.status])" }

    package static let limit = Fault(
        "limit",
        at: [.app],
        .answer(.limit),
        in: [.refresh],
        [FaultParameter(.seconds, 1...600, usual: 5)],
        watch: 120,
        checks: [.waitsAsTold, .keepsSession, .recovers]
    ) { "answers refreshes with 429 and Retry-After for \($0[.seconds]) s" }

    package static let portal = Fault(
        "portal",
        at: [.app],
        .answer(.page),
        in: [.refresh],
        watch: 60,
        checks: [.asksAgain, .keepsSession]
    ) { _ in "answers the next refresh with a page, as a network that wants a login" }

    package static let noRefreshToken = Fault(
        "no-refresh-token",
        at: [.app],
        .removeRefreshToken,
        in: [.refresh],
        checks: [.keepsOldToken]
    ) { _ in "takes the refresh token out of the next answer to a refresh" }

    // MARK: - Sockets and clocks

    package static let cut = Fault(
        "cut",
        at: [.app],
        .closeFeed,
        in: [.feed],
        [.sentCode],
        watch: 90,
        checks: [.dialsAgain, .dialsWithNewest]
    ) { fault in
        fault[.code] == 1006
            ? "ends the open sockets without a close frame"
            : "closes the open sockets with code \(fault[.code])"
    }

    package static let mute = Fault(
        "mute",
        at: [.app],
        .silenceFeed,
        in: [.feed],
        watch: 90,
        checks: [.noticesSilence, .dialsAgain]
    ) { _ in "lets nothing more come through the open sockets" }

    package static let skew = Fault(
        "skew",
        at: [.app],
        .shiftDate,
        in: .requests,
        [FaultParameter(.seconds, -86_400...86_400, usual: 300)],
        watch: 120,
        checks: [.renewsNoSooner, .sendsNothingExpired]
    ) { "shifts the Date of every answer by \($0[.seconds]) s for 2 m" }
}
