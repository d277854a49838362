import Basics
import Model

/// The content of the tokens' pane without tokens: how the last session ended, and the next step.
struct EmptyTokensPane {
    let viewModel: ViewModel
    let columns: Int

    var lines: RankedLines {
        var lines = RankedLines()
        lines.add(0, TokensPane.row("tokens", [Line(presence, .dim)], columns))
        lines.add(4, TokensPane.row("vault", TokensPane.vault(viewModel), columns))
        guard let ending = viewModel.session.lastEnding else {
            lines.add(1, TokensPane.row("last", [Line("no session ended", .dim)], columns))
            return lines
        }
        lines.add(1, TokensPane.row("last", when(ending), columns))
        if case .ended(let end) = viewModel.session.observed.status {
            // The next step is the app's business.
            add(2, "", Line(ObservedSummary.text(end)), to: &lines)
            return lines
        }
        let style: Style = ending.reason.isWanted ? .plain : .warning
        guard let refusal = ending.refusal else {
            add(2, "", Line(reason(ending.reason), style), to: &lines)
            addAdvice(ending.reason, to: &lines)
            return lines
        }
        // The causes need the rows, and the header has the sentence.
        let said = refusal.message.map { ": \(RefusalText.quoted($0))" } ?? ""
        add(2, "", Line("\(ReasonText.short(ending.reason))\(said)", style), to: &lines)
        add(3, "", Line(RefusalText.summary(refusal)), to: &lines)
        addAdvice(ending.reason, to: &lines)
        add(5, "", Line(RefusalText.age(refusal), .dim), to: &lines)
        return lines
    }

    private var presence: String {
        guard !viewModel.isObserved else {
            return viewModel.session.observed.status == nil
                ? "none in these requests" : "none any more"
        }
        return switch viewModel.session.state {
        case .cold: "not known yet"
        case .vaultUnavailable: "not known: the vault cannot be read"
        case .signedOut, .signingIn, .fresh, .renewing, .retrying, .blocked, .expired, .unknown,
            .draining, .signingOut:
            "none"
        }
    }

    /// The next step, unless it is being taken: a login may wait for the lock of another process.
    private func addAdvice(_ reason: SignedOutReason, to lines: inout RankedLines) {
        guard viewModel.session.state != .signingIn else { return }
        add(3, "advice", Line(ReasonText.advice(reason, viewModel.keys)), to: &lines)
    }

    /// In two rows, or in few words.
    private func reason(_ reason: SignedOutReason) -> String {
        let text = ReasonText.text(reason)
        let room = columns - TokensPane.labelWidth(columns)
        return Line(text).wrapped(to: room).count > 2 ? ReasonText.short(reason) : text
    }

    private func when(_ ending: SessionEnding) -> [Line] {
        let at = "ended \(viewModel.clock.when(ending.at))"
        guard let start = ending.startedAt else { return [Line(at)] }
        let life = DurationFormatter.long(ending.at.now.seconds(since: start.now))
        return [
            Line(
                "\(at) after \(life), renewed ×\(viewModel.session.statistics.renewals.succeeded)"
            ),
            Line("\(at) after \(life)"), Line(at),
        ]
    }

    /// Over as many rows as it takes.
    private func add(_ rank: Int, _ label: String, _ text: Line, to lines: inout RankedLines) {
        let width = TokensPane.labelWidth(columns)
        for (row, line) in text.wrapped(to: columns - width).enumerated() {
            lines.add(rank, Line(row == 0 ? label : "", .dim).fitted(to: width) + line)
        }
    }
}
