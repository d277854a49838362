import Model

/// What a backend has shown in an experiment of authtop's own client.
extension ScorecardText {
    /// What a backend has done, in a sentence.
    static func sentence(_ shown: ExperimentVerdict, on check: Scorecard.Check) -> String {
        if let own = ownSentence(shown, on: check) { return own }
        switch (check, shown) {
        case (.refusesCorrupted, .tokenAccepted(let status, _)):
            return "accepted (\(status)): the backend does not verify access tokens"
        case (.refusesCorrupted, .tokenRefused(let status, false)):
            return "refused (\(status)): the backend verifies access tokens"
        case (.refusesCorrupted, .tokenRefused(let status, true)):
            return "refused (\(status)): corrupted, but also expired, so either may be the cause"
        case (.refusesExpired, .tokenRefused(let status, false)):
            return "refused (\(status)): the backend refuses expired access tokens"
        case (.refusesExpired, .tokenRefused(let status, true)):
            return "refused (\(status)): expired, but also replaced, so either may be the cause"
        case (_, .tokenRefused(let status, _)): return "refused (\(status))"
        case (_, .tokenAccepted(let status, let seconds)):
            guard let seconds else { return "accepted (\(status))" }
            return "accepted (\(status)) \(DurationFormatter.long(seconds)) after its end: the "
                + "backend has a leeway, or accepts expired tokens"
        case (_, .inconclusive(let status)):
            return "answered \(status), which does not depend on the token"
        case (_, .unanswered): return "no complete answer: it shows nothing"
        case (_, .refusedAlone): return "refused, and the session lives on: one-time, no revocation"
        case (_, .acceptedAgain(true)):
            return "accepted: it brought the tokens in use again, as in a grace window"
        case (_, .acceptedAgain(false)):
            return "accepted: it brought other tokens, and the session lives on"
        case (_, .onlyOneValid):
            return "accepted: of the tokens that came, only one pair works, and authtop uses it"
        case (_, .bothRefused): return "both refused: the backend accepts none of the two"
        case (_, .sessionRevoked(true)):
            return "accepted, but the session cannot be renewed since: this experiment ended it"
        case (_, .sessionRevoked(false)):
            return "refused, and the session is revoked: this experiment ended it"
        case (_, .sessionRevoked(nil)):
            return "not answered clearly, and the session cannot be renewed since: this experiment "
                + "probably ended it"
        case (_, .feedReturned(let seconds, let missed)):
            let loss =
                missed == 0
                ? "no message is missing" : "\(CountFormatter.count(missed, "message")) missing"
            return "open again after \(DurationFormatter.fine(seconds)), \(loss)"
        case (_, .feedReturnedSilent(let seconds)):
            return "open again after \(DurationFormatter.fine(seconds)), no message since"
        case (_, .feedStayedAway(let seconds)):
            return "not open again within \(DurationFormatter.long(seconds))"
        case (_, .notMade):
            return "not made: another process renewed first, or the vault or its lock is not usable"
        case (_, .interrupted): return "the session ended before it showed anything"
        }
    }

    /// The sentence of an experiment with two uses of the refresh token in use, or `nil` if the
    /// common one is right.
    private static func ownSentence(
        _ shown: ExperimentVerdict,
        on check: Scorecard.Check
    ) -> String? {
        switch (check, shown) {
        case (.survivesTwo, .refusedAlone):
            "one accepted, one refused, and the session lives on: one-time, no revocation"
        case (.survivesTwo, .acceptedAgain(true)):
            "both accepted, with the same refresh token, as in a grace window"
        case (.survivesTwo, .acceptedAgain(false)):
            "both accepted, with different tokens: the session lives on with the last ones"
        case (.survivesTwo, .onlyOneValid):
            "both accepted, but only one pair works, and the session lives on with it"
        case (.survivesTwo, .sessionRevoked(true)):
            "both accepted, but the session cannot be renewed since: this experiment ended it"
        case (.survivesTwo, .sessionRevoked(false)):
            "one accepted, one refused, and the session is revoked: this experiment ended it"
        case (.survivesTwo, .unanswered):
            "not both completely answered: it shows nothing"
        case (.survivesTwo, .inconclusive(let status)):
            "one answered \(status), which decides nothing"
        case (.answersAgain, .refusedAlone):
            "refused the second time: an app would be signed out; authtop took the answer up again"
        case (.answersAgain, .acceptedAgain(true)):
            "accepted again, with the tokens that were lost: no harm, as in a grace window"
        case (.answersAgain, .acceptedAgain(false)):
            "accepted again, with other tokens: no harm"
        case (.answersAgain, .sessionRevoked(false)):
            "refused the second time, and the session is revoked: this experiment ended it"
        case (.answersAgain, .inconclusive(let status)):
            "answered \(status), so there was nothing to lose"
        default: nil
        }
    }

    /// For a place with little room.
    static func brief(_ shown: ExperimentVerdict) -> String {
        switch shown {
        case .tokenRefused: "refused"
        case .tokenAccepted: "accepted"
        case .inconclusive: "shows nothing"
        case .unanswered: "unanswered"
        case .refusedAlone: "refused alone"
        case .acceptedAgain(true): "same pair again"
        case .acceptedAgain(false): "accepted again"
        case .onlyOneValid: "only one pair valid"
        case .bothRefused: "both refused"
        case .sessionRevoked: "session revoked"
        case .feedReturned(_, 0): "nothing missing"
        case .feedReturned(_, let missed): "\(missed) missing"
        case .feedReturnedSilent: "silent since"
        case .feedStayedAway: "stayed away"
        case .notMade: "not made"
        case .interrupted: "interrupted"
        }
    }
}
