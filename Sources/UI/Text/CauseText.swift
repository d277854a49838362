package import Model
package import Profiles

/// The messages of causes and failures, for the screen, JSON lines, logs and commands.
///
/// The messages of the backend or the system are shown unchanged; all others are here.
package struct CauseText: CauseFormatter {
    /// The keys that a message names: the user's own on the screen, and else the usual ones.
    let keys: KeyMap

    package init() {
        self.init(keys: .standard)
    }

    init(keys: KeyMap) {
        self.keys = keys
    }

    package func text(_ failure: RefreshFailure) -> String {
        switch failure.cause {
        case .lockHeld: "another process holds the lock of the renewal"
        case .vault(let problem): text(problem)
        case .unstorable(let problem): "the session could not be stored: \(text(problem))"
        case .vaultChanged: "another process changed the vault"
        case .replaced: "another login took the place of the session meanwhile"
        case .paused: "renewal is paused"
        case .unsaved(let problem): "the last pair is not saved yet: \(text(problem))"
        case .circuitBreakerOpen: "renewals wait: the backend refuses tokens just issued"
        case .expiredOnArrival: "the new access token has already ended: compare the clocks"
        case .authorization(let failure): AuthorizationText.text(failure, keys)
        case .idToken(let failure): IDTokenText.text(failure)
        case .networkAbsent: "the network is not back"
        case .unsent(let cause): text(cause)
        case .interrupted:
            "an earlier run may have sent the refresh token, and recorded no answer"
        case .unanswered(let detail): said(detail) ?? "no complete answer came"
        case .answerDiscarded: "an experiment threw the answer away"
        case .anotherUser(let users):
            "the token is \(users.after)'s, not \(users.before)'s, and is not used"
        case .unusableAnswer(_, let detail): said(detail) ?? "the answer holds no tokens"
        case .refreshTokenOnly(_, let detail):
            said(detail) ?? "the refresh token of an error is kept"
        case .unavailable(let status, let detail): said(detail) ?? noVerdict(status)
        case .notUnderstood(_, let detail):
            said(detail) ?? "the backend does not understand the request"
        case .clientForgotten(_, let detail):
            "\(said(detail) ?? "the backend does not know the client"): the client that was registered "
                + "is forgotten; the next login registers another one"
        case .forbidden(_, let detail, let captures):
            "\(said(detail) ?? "refused without a message"); perhaps because of \(list(captures)), "
                + "which the request sends"
        case .refreshTokenRefused(_, let detail): said(detail) ?? "refused without a message"
        case .credentialsRefused(_, let detail):
            said(detail) ?? "the backend refused the credentials"
        }
    }

    package func text(_ problem: VaultProblem) -> String {
        if let message = said(problem.message) { return message }
        return switch problem.kind {
        case .locked: "the vault is locked"
        case .full: "there is no room for the vault: make room on the disk"
        case .inUse: "another process holds the vault"
        case .unusable: "the vault cannot be used"
        }
    }

    package func text(_ problem: CredentialProblem) -> String {
        let name = problem.credential.replacing("_", with: " ")
        if let detail = said(problem.detail) { return detail }
        guard let place = problem.place else { return "the credential \"\(name)\" is missing" }
        return "no \(name) for \(place.profile): set \(place.variable), or name a file of mode "
            + "0600 with --credentials"
    }

    package func text(_ cause: UnsentCause) -> String {
        switch cause {
        case .unreachable(let detail): said(detail) ?? "the backend cannot be reached"
        case .credential(let problem): text(problem)
        case .noEndpoint(let dialect): "\(dialect) has no such endpoint"
        case .unusableRequest(let detail): said(detail) ?? "the request cannot be sent"
        case .missingCapture(let capture):
            "\(capture.name) is missing: no answer has brought \(capture.source), which the request "
                + "sends"
        case .unusableHeader(let name):
            "the value for the header \(name) has a line break, or is not printable ASCII"
        case .unusablePath(let capture):
            "the value of \(capture.name) (\(capture.source)) cannot be part of a path: it is empty, "
                + "or would lead to another one"
        }
    }

    package func text(_ reason: SignedOutReason) -> String { ReasonText.text(reason) }

    package func brief(_ reason: SignedOutReason) -> String { ReasonText.short(reason) }

    package func text(_ cause: StateChangeCause) -> String {
        switch cause {
        case .login: "login"
        case .imported: "import"
        case .logout: "logout"
        case .nothingStored: "nothing stored"
        case .vault(let problem): text(problem)
        case .renewal(let cause): text(cause)
        case .pair(.login): "logged in"
        case .pair(.refresh): "renewed"
        case .pair(.resumed): "resumed from the vault"
        case .pair(.adopted): "another process renewed"
        case .pair(.imported): "imported"
        case .pair(.joined): "seen in use"
        case .failure(let failure): text(failure)
        case .ended(let reason): text(reason)
        case .accessTokenEnded: "the access token may no longer be used"
        case .observed: "seen in the app's traffic"
        }
    }

    package func text(_ cause: RefreshCause) -> String {
        switch cause {
        case .timer: "timer"
        case .unauthorized: "401"
        case .tokenRefused: "token refused"
        case .feed: "feed refused"
        case .user: "you"
        case .caller: "a caller waits"
        case .lostAnswer: MissingAnswerText.lost
        case .unusableAnswer: MissingAnswerText.short
        case .unrecordedAnswer: "restart"
        case .retry: "retry"
        case .app: "the app"
        }
    }

    package func text(_ plan: RenewalPlan) -> String {
        switch plan {
        case .scheduled(_, let reason): text(reason)
        case .underWay: "renewing now"
        case .awaitsLock(_, by: let holder):
            "waits for the lock, which \(holder.map { "process \($0)" } ?? "another process") holds"
        case .held(let hold): RenewalText.text(hold, keys)
        case .impossible(.accessExpired): "not possible: there is no refresh token"
        case .impossible(let reason): "not possible: \(text(reason))"
        }
    }

    private func text(_ reason: RenewalReason) -> String {
        switch reason {
        case .accessTokenEnds: "before the access token ends"
        case .refreshTokenEnds: "before the refresh token ends"
        case .lastUseOfRefreshToken: "as the refresh token ends: the last renewal that it allows"
        case .refreshTokenOver: "a last try: the refresh token will have expired by then"
        case .refreshTokenSpent:
            "the next renewal will be refused: by the profile, the last one spent the refresh token"
        case .retry: "again after a failure"
        case .lostAnswer: "again after a lost answer"
        case .unusableAnswer: "again after an unusable answer"
        case .unrecordedAnswer: "again, because no answer is on record"
        case .circuitBreakerCloses: "once renewals are no longer held back"
        }
    }

    package func text(_ cause: RequestCause) -> String {
        switch cause {
        case .login: "login"
        case .refresh(let cause): text(cause)
        case .abandonedRefresh: "abandoned"
        case .logout(.this): "log out"
        case .logout(.everywhere): "log out everywhere"
        case .interval(let seconds): "every \(DurationFormatter.short(seconds))"
        case .user: "you"
        case .custom: "asked by you"
        case .experiment(let experiment): "experiment: \(experiment.words)"
        case .observed(let cause): text(cause)
        }
    }

    /// The few words for a column, where the cause has any that are fewer.
    func brief(_ cause: RequestCause) -> String? {
        switch cause {
        case .refresh(.tokenRefused): "refused"
        case .observed(.refused(let exchange)): "#\(exchange) refused"
        case .observed(.beforeEnd(let seconds)): "\(Self.span(seconds)) left"
        case .observed(.afterEnd(let seconds)): "\(Self.span(seconds)) late"
        default: nil
        }
    }

    private func text(_ cause: ObservedCause) -> String {
        switch cause {
        case .unknown: "the app"
        case .refused(let exchange): "#\(exchange) was refused"
        case .beforeEnd(let seconds): "\(Self.span(seconds)) before the end"
        case .afterEnd(let seconds): "\(Self.span(seconds)) after the end"
        case .start: "start of the app"
        case .retry(let exchange): "repeats #\(exchange)"
        }
    }

    private static func span(_ seconds: Double) -> String {
        seconds < 1 ? DurationFormatter.fine(seconds) : DurationFormatter.long(seconds)
    }

    package func text(_ introspection: IntrospectionResult) -> String {
        IntrospectionText.text(introspection)
    }

    package func text(_ failure: SessionListFailure) -> String {
        switch failure.request {
        case .list: "no list: \(text(failure.end))"
        case .end: "not ended: \(text(failure.end))"
        }
    }

    private func text(_ end: RequestEnd) -> String {
        switch end {
        case .accepted(let status), .listed(_, let status):
            "the answer (\(status)) is another than the profile says"
        case .inconclusive(404): "the backend knows no such thing (404)"
        case .inconclusive(let status): "the backend answered \(status)"
        case .rejected(let status): "the backend refused the access token (\(status))"
        case .noToken: "there is no usable access token"
        case .notSent(let cause): "not sent: \(text(cause))"
        case .unanswered(let detail): "no complete answer: \(detail)"
        }
    }

    package func text(_ cause: FeedCause) -> String {
        switch cause {
        case .closed(let code): "closed with \(code)"
        case .upgradeRefused(let status): "upgrade answered \(status)"
        case .unreachable(let detail): said(detail) ?? "the backend cannot be reached"
        case .tokenReplaced: "the token was replaced meanwhile"
        case .awaitsRenewal: "waits for a renewal"
        case .refusedByMessage(let words): "refused by a message: \(RefusalText.quoted(words))"
        case .unanswered(let name, let seconds):
            "no \(name) within \(DurationFormatter.short(seconds))"
        case .missingCapture(let capture):
            "no answer has brought \(capture.source), which the feed sends as {\(capture.name)}"
        case .unusableHeader(let name):
            "\(text(UnsentCause.unusableHeader(name: name)))"
        }
    }

    package func text(_ result: ExperimentResult) -> String {
        result.lines.map(ScorecardText.sentence).joined(separator: "; ")
    }

    package func text(_ rule: DecidingRule) -> String { RuleText.text(rule) }

    package func text(stopping cause: FeedCause) -> String {
        switch cause {
        case .closed: "\(text(cause)): dialing again would not help"
        case .upgradeRefused(300..<400): "\(text(cause)): a redirect is not followed"
        case .upgradeRefused(401), .upgradeRefused(403):
            "\(text(cause)): no renewal helps, log in again"
        case .upgradeRefused: "\(text(cause)): check the feed's path"
        case .missingCapture(let capture):
            "\(text(cause)): check capture.\(capture.name) in the profile"
        case .unusableHeader: "\(text(cause)): check feed.headers in the profile"
        case .unreachable, .tokenReplaced, .awaitsRenewal, .refusedByMessage, .unanswered:
            text(cause)
        }
    }

    /// An answer without a word that decides nothing.
    private func noVerdict(_ status: Int) -> String {
        switch status {
        case 429: "the backend asks for fewer requests"
        case 500...: "the backend cannot answer now"
        default: "the profile does not say that this answer ends the session"
        }
    }

    /// `csrf (cookie:csrf_token)`.
    private func list(_ captures: [CaptureReference]) -> String {
        captures.map { "\($0.name) (\($0.source))" }.joined(separator: ", ")
    }

    /// Returns the message of the backend or the system, or `nil` if it is empty.
    private func said(_ detail: String?) -> String? {
        detail.flatMap { $0.isEmpty ? nil : $0 }
    }
}
