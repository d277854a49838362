/// Tokens in place of good ones, and lifetimes of tokens.
extension Fault {
    /// In the order of the list.
    static let ofTokens: [Fault] = [
        .expiredToken, .corruptedToken, .replayedToken, .concurrentRefresh, .shortLife,
    ]

    // MARK: - Access tokens

    package static let expiredToken = Fault(
        .send(.expiredAccess),
        FaultRole(
            .client,
            "expired-token",
            words: "send an expired access token",
            in: [.protected],
            checks: [.refusesExpired],
            risk: "The backend sees a request with an expired token."
        ) { _ in "sends a token whose end has passed" }
    )

    package static let corruptedToken = Fault(
        .send(.corruptedAccess),
        FaultRole(
            .client,
            "corrupted-token",
            words: "send a corrupted access token",
            in: [.protected],
            checks: [.refusesCorrupted],
            risk: "The backend sees a forged token, and may take it for an attack."
        ) { _ in "sends the token, one character changed" }
    )

    package static let shortLife = Fault(
        .shortenLife,
        FaultRole(
            .app,
            "short-life",
            in: .requests,
            [FaultParameter(.seconds, 2...86_400, usual: 20)],
            checks: [.renewsBeforeEnd, .isNotRefused]
        ) { "access tokens live \($0[.seconds]) s, whatever the backend says, until it is stopped" }
    )

    // MARK: - Refresh tokens

    package static let replayedToken = Fault(
        .send(.replacedRefresh),
        FaultRole(
            .client,
            "replayed-token",
            words: "replay the replaced refresh token",
            in: [.refresh],
            checks: [.refusesReplaced],
            risk: .reuseDetection,
            outcomes: [
                "strict: refused, nothing is lost",
                "strict-revoke: the session is lost",
                "grace: the tokens in use come again",
                "none, forks: other tokens, not used",
            ]
        ) { _ in "sends the refresh token before this one, then a request and a renewal" }
    )

    package static let concurrentRefresh = Fault(
        .send(.refreshTwice),
        FaultRole(
            .client,
            "concurrent-refresh",
            words: "two refreshes at once",
            in: [.refresh],
            checks: [.survivesTwo],
            risk: .reuseDetection,
            outcomes: [
                "strict: one is refused, nothing is lost",
                "strict-revoke: the session is lost",
                "grace: both bring the same token",
                "none, forks: two pairs, one not used",
            ]
        ) { _ in "sends the refresh token twice at once, then renews again" }
    )
}
