package import Model

/// The texts of scorecards, of experiments with an app and with a backend.
package enum ScorecardText {
    /// The expected behavior of the app or the backend, as a line of a scorecard.
    package static func text(_ check: Scorecard.Check) -> String {
        switch check {
        case .renewsOnce: "one refresh, within 5 s"
        case .repeats: "each refused request comes again, with a newer token"
        case .keepsSession: "no login and no logout"
        case .dialsWithNewer: "each refused dial comes again, with a newer token"
        case .asksAgain: "the same refresh token is sent again within 60 s"
        case .asksRarely: "and at most five times"
        case .endsOnlyIfRefused: "no login and no logout before a refresh is refused"
        case .waitsForRefresh: "no second refresh while the first is in progress"
        case .sendsNothingExpired: "no request with an access token that has ended"
        case .stopsRefreshing: "no refresh after the one that was refused"
        case .stopsSending: "no request once its token has ended, or 10 s have passed"
        case .closesSockets: "the session's sockets are closed"
        case .waitsAsTold: "no refresh before the time that Retry-After names"
        case .backsOff: "tries do not follow each other at once"
        case .recovers: "a later refresh brings tokens"
        case .dialsAgain: "each socket is dialed again"
        case .dialsWithNewest: "with the newest token"
        case .noticesSilence: "a silent socket is given up within 60 s"
        case .renewsBeforeEnd: "each refresh comes before the token's end"
        case .isNotRefused: "no token of this life is refused"
        case .keepsOldToken: "the next refresh sends the old refresh token"
        case .renewsNoSooner: "no more refreshes than before"
        case .showsNoBug: "no finding that is certainly a bug"
        case .refusesExpired: "401; some seconds of leeway are usual"
        case .refusesCorrupted: "401"
        case .refusesReplaced: "refused, or the session is revoked"
        case .survivesTwo: "the session lives on"
        case .answersAgain: "accepted again: a lost answer costs no login"
        case .bringsFeedBack: "back within seconds, nothing missing"
        }
    }

    /// The state of an experiment: what it has shown, or else its verdict.
    static func word(_ scorecard: Scorecard) -> String {
        scorecard.lines.lazy.compactMap(\.shown).first.map(brief) ?? word(scorecard.verdict)
    }

    /// In a word or two.
    package static func word(_ verdict: Scorecard.Verdict) -> String {
        switch verdict {
        case .open: "running"
        case .passed: "passed"
        case .failed: "failed"
        case .notReached: "not reached"
        }
    }

    static func style(_ verdict: Scorecard.Verdict) -> Style {
        switch verdict {
        case .open: .busy
        case .passed: .good
        case .failed: .bad
        case .notReached: .dim
        }
    }

    /// `failed: one refresh, within 5 s: #31 #32`; of a backend, what it has done.
    package static func sentence(_ line: Scorecard.Line) -> String {
        if let shown = line.shown { return sentence(shown, on: line.check) }
        let exchanges = line.exchanges.suffix(8).map { "#\($0)" }.joined(separator: " ")
        let proof = exchanges.isEmpty ? "" : ": \(exchanges)"
        return "\(word(line.verdict)): \(text(line.check))\(proof)"
    }
}
