import Basics
import Model
import Profiles

/// All that is known of one exchange.
struct RequestDetail {
    let request: LoggedExchange
    let viewModel: ViewModel

    var document: Document {
        let exchange = request.exchange
        let formatter = viewModel.clock.formatter
        var document = Document(title: "Request #\(exchange.id)")
        document.add("request", RequestText.request(exchange, methodWidth: 0))
        document.add("purpose", RequestText.purpose(exchange.purpose))
        document.add("why", CauseText().text(exchange.why))
        document.add("sent", formatter.timeWithMilliseconds(request.startedAt.wall))
        if !exchange.isAwaited {
            document.add(
                "ended",
                "\(formatter.timeWithMilliseconds(request.endedAt.wall)), after "
                    + DurationFormatter.fine(exchange.seconds)
            )
        }
        document.add("answer", answer)
        if let page = exchange.corsAddedFor {
            document.add(
                "CORS",
                "added for \(page) by --cors: the backend's answer lacks it",
                .warning
            )
            document.add("", Self.withoutCORS(exchange), .dim)
        }
        if let evidence {
            let isUnread = unreadRefusal != nil
            let rule = isUnread ? RuleText.unreadRefresh : CauseText().text(evidence.rule)
            document.add("decided by", rule)
        }
        document.add("token", token)
        if let age = tokenAge ?? age { document.add("token age", age) }
        if let trace = exchange.trace { document.add("trace", "\(trace.trace), of the app") }
        if let flight = exchange.flight { document.add("renewal", "number \(flight)") }
        if let original = exchange.retryOf { document.add("repeats", "#\(original)") }
        if exchange.isNonceRetry == true {
            document.add("sent twice", "the first answer required another nonce in its proof")
        }
        document.add("followed by", followed)
        if case .failed(let failure, let nextAt)? = viewModel.session.followUp(of: request) {
            document.add("because", CauseText().text(failure))
            let isAwaitingAnother =
                failure.kind == .refused && (nextAt != nil || evidence?.rule.isBare == true)
            document.add(
                "it means",
                isAwaitingAnother
                    ? "perhaps nothing: it counts if it comes again, and the same token is sent again"
                    : FailureText.meaning(failure)
            )
        }
        if let unreadRefusal {
            for (index, line) in RuleText.rule(reading: unreadRefusal).enumerated() {
                document.add(index == 0 ? "mend" : "", line, .strong)
            }
            document.add("", "in the profile, if this answer ends a session", .dim)
        }
        if let refusal { document.add(refusal) }
        if let evidence {
            document.add(evidence)
        } else if exchange.status != nil {
            document.addHeading("Answer")
            document.add("no longer kept, but its status is")
        }
        addTiming(to: &document)
        return document
    }

    private var evidence: ResponseEvidence? {
        viewModel.session.evidence.evidence(numbered: request.exchange.id)
    }

    /// The age of the token that it carried.
    private var age: Line? {
        let exchange = request.exchange
        guard let age = exchange.tokenAge else { return nil }
        let sent = "\(DurationFormatter.long(age)) when sent"
        let isRefused = request.wasTokenRefused || isRefusedRefresh
        guard isRefused else { return Line(sent) }
        return Line("\(sent), \(DurationFormatter.long(age + exchange.seconds)) when refused")
    }

    /// The refusal of a refresh that no rule of the profile reads.
    private var unreadRefusal: ResponseEvidence? {
        guard request.exchange.purpose == .refresh, evidence?.rule == .unlisted,
            let status = request.exchange.status, (400..<500).contains(status)
        else { return nil }
        return evidence
    }

    private var isRefusedRefresh: Bool {
        if case .terminal? = evidence?.rule { return true }
        return false
    }

    /// The result of a request whose answer has nothing for pages of another origin, in a browser.
    private static func withoutCORS(_ exchange: Exchange) -> String {
        guard exchange.purpose == .preflight else {
            return "in production, the browser keeps such an answer from the page"
        }
        let isRefused = exchange.status.map { !(200..<300).contains($0) } ?? false
        return (isRefused ? "the page was answered 204; " : "")
            + "in production, the browser does not send the request itself"
    }

    private var answer: Line {
        let exchange = request.exchange
        let style = RequestText.style(exchange)
        switch exchange.result {
        case .answered(let status): return Line(String(status), style)
        case .notSent(let cause): return Line("not sent: \(CauseText().text(cause))", style)
        case .unanswered(let text): return Line("sent, but no complete answer: \(text)", style)
        case .awaited:
            let age = DurationFormatter.long(RequestText.seconds(request, viewModel.clock))
            return Line("awaited for \(age)", style)
        }
    }

    private var token: Line {
        let exchange = request.exchange
        let names = viewModel.generations
        guard let name = names.name(exchange.generation, login: request.login) else {
            return "none"
        }
        let kind = exchange.purpose == .refresh ? "refresh token" : "access token"
        let fingerprint = exchange.fingerprint?.description ?? ""
        return "\(name, .identity) \(fingerprint, .identity) \(kind)"
    }

    /// Of an access token that was refused: how old it was, and how long it was to live.
    private var tokenAge: Line? {
        guard request.wasTokenRefused,
            let generation = viewModel.session.generations.last(where: {
                $0.login == request.login && $0.generation == request.exchange.generation
            })
        else { return nil }
        let age = request.startedAt.now.seconds(since: generation.pair.issuedAt.now)
        guard let deadline = generation.pair.accessExpiry, !deadline.expiry.isAssumed else {
            return Line("\(DurationFormatter.long(age)); nothing usable states its life", .warning)
        }
        let isApproximate = deadline.expiry.isApproximate
        let text = RefusalText.age(age, of: deadline.statedLifetime, isApproximate)
        return Line("refused at \(text)", .warning)
    }

    private var followed: Line {
        guard let followUp = viewModel.session.followUp(of: request) else {
            return Line("nothing", .dim)
        }
        return FollowUpText.ways(followUp, of: request, viewModel)[0]
    }

    /// The evidence about the refresh token, if this is the answer that ended the session.
    private var refusal: RefusalEvidence? {
        let session = viewModel.session
        guard case .ends? = session.followUp(of: request), request.login == session.login else {
            return nil
        }
        return session.refusal ?? session.lastEnding?.refusal
    }

    private var isSent: Bool {
        if case .notSent = request.exchange.result { false } else { true }
    }

    private func addTiming(to document: inout Document) {
        guard let timing = request.exchange.timing else { return }
        document.addHeading("Where the time went")
        let parts = [
            (
                "connect", timing.connect,
                isSent ? "the connection was open already" : "no connection"
            ),
            ("first byte", timing.firstByte, "no answer began"),
            ("body", timing.body, "no body"),
        ]
        let whole = parts.reduce(0) { $0 + ($1.1 ?? 0) }
        for (name, seconds, absent) in parts {
            guard let seconds else {
                document.add(name, absent, .dim)
                continue
            }
            let share = whole > 0 ? seconds / whole : 0
            let filled = Int((share * 30).rounded())
            let time = Line(DurationFormatter.fine(seconds)).fitted(to: 9, flushRight: true)
            document.add(name, time + "  " + Line(String(repeating: "█", count: filled), .busy))
        }
    }
}
