import Basics
import Model

/// Problems that last until something changes, the worst first.
enum ProblemText {
    static func lines(_ viewModel: ViewModel) -> [Line] {
        let session = viewModel.session
        var lines: [Line] = []
        if let socket = session.feed.leakingSocket {
            lines.append(Line("✗ socket \(socket) still receives after logout", .bad))
        }
        if let users = session.problems.userChange {
            lines.append(Line("✗ a renewal brought another user: \(users.after)", .bad))
        }
        if let line = revocation(session.problems.revocation, in: session.state) {
            lines.append(line)
        }
        if let warning = ReachabilityText.warning(session.reachability) {
            lines.append(Line("⚠ \(warning)", .warning))
        }
        if viewModel.breakerOpenUntil != nil {
            lines.append(Line("⚠ the server rejects fresh tokens", .warning))
        }
        if let problem = session.flags.unsaved {
            lines.append(Line("⚠ not saved to disk: \(CauseText().text(problem))", .warning))
        }
        if let failure = session.problems.protocolError {
            let text = CauseText().text(failure)
            lines.append(Line("⚠ not as the profile says: \(text)", .warning))
        }
        if let line = SessionEndText.problem(viewModel) { lines.append(line) }
        if let pair = session.current?.pair, isMismatched(pair) {
            lines.append(Line("⚠ two expiries disagree", .warning))
        }
        if session.problems.hasNoProgress {
            lines.append(Line("⚠ renewed, but the expiry is not later", .warning))
        }
        // Those of an app's sessions are counted together, in the first row.
        if session.problems.droppedEvents > 0, !viewModel.isObserved {
            let count = CountFormatter.count(session.problems.droppedEvents, "event")
            lines.append(Line("⚠ \(count) not shown: too many at once", .warning))
        }
        return lines
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
            Line("⚠ signed out here, revocation pending", .warning)
        // The pair of another session than the one that is watched.
        case (.pending, _): Line("⚠ the backend does not know of a logout yet", .warning)
        case (.expired, _): Line("⚠ the backend never heard of the logout", .warning)
        case (.noRefreshToken, _), (.noAccessToken, _), (.noCapturedValue, _):
            Line("⚠ the backend cannot be notified of a logout", .warning)
        case (.done, _), (.notKnown, _), (.anonymous, _), (.notOffered, _), (nil, _): nil
        }
    }
}
