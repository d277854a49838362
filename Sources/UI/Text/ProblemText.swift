import Basics
import Model
import Profiles

/// Problems that last until something changes, the worst first.
enum ProblemText {
    static func lines(_ viewModel: ViewModel) -> [Line] {
        let session = viewModel.session
        var lines: [Line] = []
        if let socket = session.feed.leakingSocket {
            lines.append(Line("✗ socket \(socket) still receives after logout", .bad))
        }
        if let users = session.problems.userChange {
            let names = "\(users.after), not \(users.before)"
            let text = "a renewal brought another user's token: \(names)"
            let isAllowed = users.isUsed == true
            lines.append(
                isAllowed
                    ? Line("⚠ \(text), as the profile allows", .warning)
                    : Line("✗ \(text)\(users.isUsed == false ? "; it is not used" : "")", .bad)
            )
        }
        let cached = RenewalChangeText.cached(session)
        if let cached { lines.append(cached) }
        if let claims = RenewalChangeText.claims(session) { lines.append(claims) }
        let requests = RequestHealthText(viewModel)
        if let requests {
            lines.append(requests.line)
        } else if !viewModel.isObserved, session.state.isLive,
            let pattern = RequestHealthText.pattern(session.requestHealth.acceptances)
                ?? RequestHealthText.early(session)
        {
            lines.append(Line("⚠ \(pattern)", .warning))
        }
        if let feed = FeedHealthText(viewModel) { lines.append(feed.line) }
        if let line = revocation(session.problems.revocation, in: session.state) {
            lines.append(line)
        }
        if requests == nil || !session.reachability.isAnswered,
            let warning = ReachabilityText.warning(session.reachability)
        {
            lines.append(Line("⚠ \(warning)", .warning))
        }
        if let openUntil = viewModel.breakerOpenUntil {
            let until = viewModel.clock.when(openUntil)
            let text = "fresh tokens are refused: no 401 starts a renewal before \(until)"
            lines.append(Line("⚠ \(text)", .warning))
        }
        if let problem = session.flags.unsaved {
            lines.append(Line("⚠ not saved to disk: \(CauseText().text(problem))", .warning))
        }
        if let failure = session.problems.protocolError {
            let text = protocolError(failure, viewModel)
            lines.append(Line("⚠ \(text)", .warning))
        }
        if let line = SessionEndText.problem(viewModel) { lines.append(line) }
        // An old answer explains both.
        if cached == nil, let pair = session.current?.pair, isMismatched(pair) {
            lines.append(Line("⚠ two expiries disagree", .warning))
        }
        if cached == nil, session.problems.hasNoProgress {
            lines.append(Line("⚠ renewed, but the expiry is not later", .warning))
        }
        // Those of an app's sessions are counted together, in the first row.
        if session.problems.droppedEvents > 0, !viewModel.isObserved {
            let count = CountFormatter.count(session.problems.droppedEvents, "event")
            lines.append(Line("⚠ \(count) not shown: too many at once", .warning))
        }
        return lines
    }

    /// A renewal that has worked before is no mistake in the profile.
    private static func protocolError(
        _ failure: RefreshFailure,
        _ viewModel: ViewModel
    ) -> String {
        let session = viewModel.session
        let text = CauseText().text(failure)
        guard let current = session.current, current.generation > 1 else {
            return "not as the profile says: \(text)"
        }
        let request = session.capabilities?.refreshRequest
        let name = request.map { "\($0.method) \($0.target)" } ?? "the renewal"
        let last = session.requests.last { $0.exchange.purpose == .refresh }
        let status = failure.status.map { "\($0)" }
        let words = [status, last?.exchange.serverWords].compactMap(\.self).joined(separator: " ")
        let details = words.hasSuffix(text) ? [words] : [words, text]
        let fact =
            "\(name) worked at \(viewModel.clock.when(current.receivedAt)), and not since: "
            + details.joined(separator: ", ")
        guard failure.mayBeAboutToken else { return fact }
        return fact
            + "; most likely the refresh token, or the client, is no longer accepted: log in again "
            + "(\(viewModel.keys.name(of: .logIn)))"
    }

    private static func isMismatched(_ pair: PairDescription) -> Bool {
        [pair.accessExpiry, pair.refreshExpiry].contains { ($0?.expiry.mismatch.count ?? 0) > 1 }
    }

    private static func revocation(
        _ phase: RevocationPhase?,
        in state: SessionState
    ) -> Line? {
        switch (phase, state) {
        case (.pending, .signedOut), (.pending, .signingOut):
            Line("⚠ logged out here, revocation pending", .warning)
        // The pair of another session than the one that is watched.
        case (.pending, _): Line("⚠ the backend does not know of a logout yet", .warning)
        case (.expired, _): Line("⚠ the backend never heard of the logout", .warning)
        case (.noRefreshToken, _), (.noAccessToken, _), (.noCapturedValue, _):
            Line("⚠ the backend cannot be notified of a logout", .warning)
        case (.done, _), (.notKnown, _), (.anonymous, _), (.notOffered, _), (nil, _): nil
        }
    }
}
