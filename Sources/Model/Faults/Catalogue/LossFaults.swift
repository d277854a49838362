/// Requests and answers that are lost, late or incomplete.
extension Fault {
    /// In the order of the list.
    static let ofLosses: [Fault] = [.dropAfterCommit, .dropRequest, .delay, .truncatedBody]

    /// Spends one-time tokens.
    package static let dropAfterCommit = Fault(
        .loseAnswer,
        FaultRole(.backend, "drop-after-commit", in: .requests) { _ in
            "the backend acts, and its answer is lost"
        },
        FaultRole(
            .client,
            "lost-answer",
            words: "lose the answer of a refresh",
            in: [.refresh],
            checks: [.answersAgain],
            risk: .reuseDetection,
            outcomes: [
                "strict: refused; the answer is taken up",
                "strict-revoke: the session is lost",
                "grace: the lost tokens come again",
                "none, forks: other tokens, used then",
            ]
        ) { _ in "renews, throws the answer away and sends the same token again" },
        FaultRole(
            .app,
            "lose-answer",
            in: [.refresh],
            [.hangs],
            watch: 90,
            checks: [.asksAgain, .asksRarely, .endsOnlyIfRefused]
        ) { fault in
            "the backend answers the next refresh, and the app "
                + (fault[.hangs] == 1
                    ? "waits for an answer that never comes" : "finds its connection reset")
        }
    )

    /// Loses the request before the backend sees it; to the client it looks like `dropAfterCommit`.
    package static let dropRequest = Fault(
        .loseRequest,
        FaultRole(.backend, "drop-request", in: .all) { _ in "the backend never sees the request" }
    )

    /// Half of a backend's delays precede its decision, half of them follow it.
    package static let delay = Fault(
        .delayAnswer,
        FaultRole(
            .backend,
            "delay",
            in: .requests,
            [FaultParameter(.seconds, 0...600)]
        ) { _ in "the answer takes 0.2 to 5 s longer" },
        FaultRole(
            .app,
            "slow-refresh",
            in: [.refresh],
            [FaultParameter(.seconds, 1...600, usual: 10)],
            watch: 10,
            checks: [.waitsForRefresh, .sendsNothingExpired]
        ) { "holds the answer to the next refresh for \($0[.seconds]) s" }
    )

    /// The client cannot know what was decided.
    package static let truncatedBody = Fault(
        .cutAnswer,
        FaultRole(.backend, "truncated-body", in: .requests) { _ in "the body ends in the middle" }
    )
}
