/// The faults of the built-in backend.
extension Fault {
    /// In the order of the list.
    static let backend: [Fault] = [
        .dropAfterCommit, .dropRequest, .delay, .truncatedBody, .webPage, .unauthorized, .rateLimit,
        .serverError, .errorAfterCommit, .bareRefusal, .earlyRevocation, .missingRefreshToken,
        .skewedDate, .notFound, .feedRefuse, .feedCloseOnOpen, .feedClose, .feedSilent,
        .feedDuplicates, .feedExpiry,
    ]

    // MARK: - Before the backend acts

    /// Loses the request before the backend sees it; to the client it looks like `dropAfterCommit`.
    package static let dropRequest = Fault("drop-request", .loseRequest, in: .all) { _ in
        "the backend never sees the request"
    }

    /// A rate limit says nothing about a token (RFC 6585 section 4).
    package static let rateLimit = Fault(
        "rate-limit",
        .answer(.limit),
        in: .all,
        [FaultParameter(.seconds, 0...86_400)]
    ) { _ in "429, mostly with Retry-After" }

    package static let serverError = Fault(
        "server-error",
        .answer(.status([500, 502, 503])),
        in: .all,
        [.serverStatus]
    ) { _ in "500, 502 or 503 in place of acting" }

    /// As by a router that does not know the path.
    package static let notFound = Fault("not-found", .answer(.status([404])), in: .all) { _ in
        "404 in place of acting"
    }

    /// As by a captive portal, or by a proxy in the backend's place.
    package static let webPage = Fault("html-200", .answer(.page), in: .all) { _ in
        "a web page comes as the answer, with 200"
    }

    /// As by a proxy in the backend's place, without a body in the dialect's format.
    package static let bareRefusal = Fault(
        "bare-refusal",
        .answer(.status([401])),
        in: [.refresh]
    ) { _ in "an empty 401 in place of acting" }

    /// As by a backend that does not know the token yet, or a worker whose clock is ahead.
    package static let unauthorized = Fault(
        "unauthorized",
        .refuseAccess,
        in: [.protected, .feed]
    ) { _ in "a live access token is refused (401)" }

    // MARK: - After it has acted

    /// Spends one-time tokens.
    package static let dropAfterCommit = Fault(
        "drop-after-commit",
        .loseAnswer,
        in: .requests
    ) { _ in "the backend acts, and its answer is lost" }

    /// Half of the delays precede the backend's decision, half of them follow it.
    package static let delay = Fault(
        "delay",
        .delayAnswer,
        in: .requests,
        [FaultParameter(.seconds, 0...600)]
    ) { _ in "the answer takes 0.2 to 5 s longer" }

    /// The client cannot know what was decided.
    package static let truncatedBody = Fault("truncated-body", .cutAnswer, in: .requests) { _ in
        "the body ends in the middle"
    }

    /// As by a gateway that times out on a backend that has acted: an error hides a success.
    package static let errorAfterCommit = Fault(
        "error-after-commit",
        .replaceAnswer,
        in: .requests,
        [.serverStatus]
    ) { _ in "the backend acts, and 502 or 504 is sent" }

    /// The answer is still true; the next use of the session's tokens is rejected.
    package static let earlyRevocation = Fault(
        "early-revocation",
        .revokeSession,
        in: [.login, .refresh, .protected]
    ) { _ in "the session is revoked once it is answered" }

    /// The backend issued the token, and would accept it.
    package static let missingRefreshToken = Fault(
        "missing-refresh-token",
        .removeRefreshToken,
        in: [.refresh]
    ) { _ in "the new refresh token is left out" }

    package static let skewedDate = Fault(
        "skewed-date",
        .shiftDate,
        in: .requests,
        [FaultParameter(.seconds, -31_536_000...31_536_000)]
    ) { _ in "the answer's Date is wrong by up to 1 h" }

    // MARK: - Feeds

    /// As by ASGI servers, which reject a token before the upgrade.
    package static let feedRefuse = Fault(
        "feed-refuse",
        .refuseFeed,
        in: [.feed],
        [FaultParameter(.status, 300...599)]
    ) { _ in "403 in place of the upgrade" }

    /// As by servers that check a token only after the upgrade.
    package static let feedCloseOnOpen = Fault(
        "feed-close-on-open",
        .closeFeedAtOnce,
        in: [.feed],
        [.closeCode]
    ) { _ in "the upgrade, then at once a close: 1008" }

    /// As by a deployment, a crash or a proxy's limit.
    package static let feedClose = Fault("feed-close", .closeFeed, in: [.feed], [.closeCode]) { _ in
        "an open feed is closed: 1011; 1006 cuts it"
    }

    /// A half-open connection: the server is gone, and the client was not notified.
    package static let feedSilent = Fault("feed-silent", .silenceFeed, in: [.feed]) { _ in
        "an open feed sends no more, no pong either"
    }

    /// As by a queue with at-least-once delivery.
    package static let feedDuplicates = Fault("feed-duplicates", .repeatMessage, in: [.feed]) { _ in
        "a message comes twice"
    }

    /// Some servers close a feed when its token expires; others do not.
    package static let feedExpiry = Fault(
        "feed-expiry",
        .closeFeedAtExpiry,
        in: [.feed],
        [.closeCode]
    ) { _ in "a feed is closed as its token expires: 4401" }
}
