import Basics
import Model
import Profiles

/// Whether the profile's requests get what they ask for, in the server's own words.
struct RequestHealthText {
    private let viewModel: ViewModel
    private let period: RequestHealth.FailurePeriod

    /// Fails if requests succeed, or the result of the last one is about to be seen.
    init?(_ viewModel: ViewModel) {
        let session = viewModel.session
        guard !viewModel.isObserved, let period = session.requestHealth.failurePeriod
        else { return nil }
        switch session.state {
        case .cold, .vaultUnavailable, .signedOut, .signingOut: return nil
        case .signingIn, .fresh, .renewing, .retrying, .blocked, .expired, .unknown, .draining:
            break
        }
        // A refused token is about to be replaced, or has just been.
        let isReplaced = session.flight != nil || period.last.generation < session.generation
        let isFirst = period.failed == 1 && period.last.tokenAcceptance == .refused
        guard !isFirst || !isReplaced else { return nil }
        self.viewModel = viewModel
        self.period = period
    }

    /// `✗ requests refused since 14:02:03, 5 of 5: 401 "unknown token"; last good 14:01:58`.
    var line: Line {
        let isWhole = !period.isOver && period.failed == period.sent
        let parts = [what, lastGood, cause].compactMap(\.self)
        let text = parts.joined(separator: "; ")
        return isWhole ? Line("✗ \(text)", .bad) : Line("⚠ \(text)", .warning)
    }

    private var what: String {
        let when = viewModel.clock.when(period.since)
        let count =
            period.sent == 1
            ? "request \(verb) at \(when)"
            : "requests \(verb) since \(when), \(period.failed) of \(period.sent)"
        return "\(count): \(answer)"
    }

    private var verb: String {
        switch period.last.status ?? 0 {
        case 200..<300 where period.last.tokenAcceptance != .refused: "not answered as asked for"
        case 300..<400: "redirected"
        case 429: "held off"
        case 500...: "failing"
        default: "refused"
        }
    }

    private var answer: String { Self.answer(period.last) }

    /// `401 "unknown token"`.
    private static func answer(_ exchange: Exchange) -> String {
        let status = exchange.status.map(String.init) ?? ""
        guard let words = exchange.serverWords else { return status }
        return "\(status) \(RefusalText.said(words, in: exchange))"
    }

    private var lastGood: String? {
        guard let at = viewModel.session.requestHealth.lastGoodAt else { return "none succeeded" }
        return "last good \(viewModel.clock.when(at))"
    }

    /// What the order of acceptances and refusals, or the challenge, says of the cause.
    private var cause: String? {
        if let error = keptError {
            let key = viewModel.keys.name(of: .logIn)
            return switch error {
            case "insufficient_user_authentication":
                "a new login is asked for\(demanded), no renewal helps: press \(key)"
            case "insufficient_scope" where !demanded.isEmpty:
                "more scopes are asked for\(demanded), no renewal helps"
            case "insufficient_claims": "other claims are asked for, no renewal helps"
            default: "no renewal helps"
            }
        }
        if isNotRenewable { return "no renewal helps, as the profile says" }
        return Self.pattern(viewModel.session.requestHealth.acceptances) ?? newTokensRefused
            ?? Self.early(viewModel.session, quotesServer: false)
    }

    /// The meaning of the order of acceptances and refusals, which lasts longer than the failures do.
    static func pattern(_ acceptances: AcceptancePattern) -> String? {
        if acceptances.isMixed {
            return "the same token is accepted and refused: perhaps not all servers know it"
        }
        return acceptances.delay.map { delay in
            "tokens are refused until \(DurationFormatter.long(max(1, delay.rounded(.up)))) "
                + "after their issue, then accepted: perhaps servers learn of them late"
        }
    }

    /// Tokens that are refused again and again before their end, with the age of the last one.
    static func early(_ session: SessionSnapshot, quotesServer: Bool = true) -> String? {
        guard let refusal = session.earlyRefusal, refusal.tokens > 1 else { return nil }
        let age = DurationFormatter.long(refusal.age)
        let mark = ExpiryText.mark(refusal.isApproximate)
        let lifetime = "\(mark)\(DurationFormatter.long(refusal.lifetime))"
        let last = quotesServer ? session.requestHealth.lastRefusal : nil
        let said = last.map { ": \(answer($0))" } ?? ""
        let unit =
            refusal.milliseconds == .probable
            ? "; \(session.lifetimePlace) is probably in milliseconds" : ""
        return "\(refusal.tokens) tokens were refused before their end, the last at \(age) of "
            + lifetime + said + unit
    }

    private var evidence: ResponseEvidence? {
        viewModel.session.evidence.evidence(numbered: period.last.id)
    }

    /// ` (acr_values=phr max_age=300)`, or nothing if the challenge does not say more than its error.
    private var demanded: String {
        evidence?.demand?.halves(at: " ").map { " (\($0.after))" } ?? ""
    }

    /// Whether the profile says of the answer that another token would be refused as well.
    private var isNotRenewable: Bool {
        if case .notRenewable? = evidence?.rule { true } else { false }
    }

    /// The error in the challenge for which the profile renews nothing.
    private var keptError: String? {
        guard case .notExpiredError(let error)? = evidence?.rule else { return nil }
        return error
    }

    /// A token that was refused from its first seconds on, while an earlier one was accepted.
    private var newTokensRefused: String? {
        let records = viewModel.session.generations.filter { $0.login == viewModel.session.login }
        guard period.last.tokenAcceptance == .refused,
            let last = records.last(where: { $0.generation == period.last.generation }),
            last.acceptedAge == nil, let age = last.refusedAge, age < Self.young,
            let before = records.last(where: { $0.acceptedAge != nil }),
            before.generation < last.generation
        else { return nil }
        let names = viewModel.generations
        let (new, old) = (
            names.name(last.generation, login: last.login) ?? "",
            names.name(before.generation, login: before.login) ?? ""
        )
        return
            "\(new) refused when \(DurationFormatter.long(max(1, age.rounded()))) old, \(old) was "
            + "accepted: not its age; perhaps its key or audience"
    }

    /// In seconds; a token of this age has hardly expired.
    private static let young = 5.0
}
