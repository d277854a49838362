import Model

/// Experiments with the backend: what each does, what a sound backend does, and what it showed.
package enum ExperimentText {
    static func name(_ experiment: Experiment) -> String {
        switch experiment {
        case .expiredToken: "send an expired access token"
        case .corruptedToken: "send a corrupted access token"
        case .replayedToken: "replay the replaced refresh token"
        case .concurrentRefresh: "two refreshes at once"
        case .lostAnswer: "lose the answer of a refresh"
        case .cutFeed: "cut the feed"
        }
    }

    /// The announcement of the experiment.
    static func action(_ experiment: Experiment) -> String {
        switch experiment {
        case .expiredToken: "sends a token whose end has passed"
        case .corruptedToken: "sends the token, one character changed"
        case .replayedToken: "sends the refresh token before this one, then a request and a renewal"
        case .concurrentRefresh: "sends the refresh token twice at once, then renews again"
        case .lostAnswer: "renews, throws the answer away and sends the same token again"
        case .cutFeed: "ends the feed without a close frame"
        }
    }

    /// The behavior of a correct backend.
    static func expectation(_ experiment: Experiment) -> String {
        switch experiment {
        case .expiredToken: "401; some seconds of leeway are usual"
        case .corruptedToken: "401"
        case .replayedToken: "refused, or the session is revoked"
        case .concurrentRefresh: "the session lives on"
        case .lostAnswer: "accepted again: a lost answer costs no login"
        case .cutFeed: "back within seconds, nothing missing"
        }
    }

    /// The risk to the session or its user.
    static func risk(_ experiment: Experiment) -> String {
        switch experiment {
        case .expiredToken: "The backend sees a request with an expired token."
        case .corruptedToken: "The backend sees a forged token, and may take it for an attack."
        case .replayedToken, .concurrentRefresh, .lostAnswer:
            "A backend with reuse detection revokes the session."
        case .cutFeed: "The backend sees a connection that breaks."
        }
    }

    /// The outcome under each policy for the second use of a refresh token, one a line; empty if it
    /// uses none twice.
    static func outcomes(_ experiment: Experiment) -> [String] {
        switch experiment {
        case .expiredToken, .corruptedToken, .cutFeed: []
        case .replayedToken:
            [
                "strict: refused, nothing is lost",
                "strict-revoke: the session is lost",
                "grace: the tokens in use come again",
                "none, forks: other tokens, not used",
            ]
        case .concurrentRefresh:
            [
                "strict: one is refused, nothing is lost",
                "strict-revoke: the session is lost",
                "grace: both bring the same token",
                "none, forks: two pairs, one not used",
            ]
        case .lostAnswer:
            [
                "strict: refused; the answer is taken up",
                "strict-revoke: the session is lost",
                "grace: the lost tokens come again",
                "none, forks: other tokens, used then",
            ]
        }
    }

    /// The result of an experiment, in a sentence.
    static func sentence(_ result: ExperimentResult) -> String {
        if let own = ownSentence(result) { return own }
        switch (result.experiment, result.verdict) {
        case (.corruptedToken, .tokenAccepted(let status, _)):
            return "accepted (\(status)): the backend does not verify access tokens"
        case (.corruptedToken, .tokenRefused(let status, false)):
            return "refused (\(status)): the backend verifies access tokens"
        case (.corruptedToken, .tokenRefused(let status, true)):
            return "refused (\(status)): corrupted, but also expired, so either may be the cause"
        case (.expiredToken, .tokenRefused(let status, false)):
            return "refused (\(status)): the backend refuses expired access tokens"
        case (.expiredToken, .tokenRefused(let status, true)):
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
    private static func ownSentence(_ result: ExperimentResult) -> String? {
        switch (result.experiment, result.verdict) {
        case (.concurrentRefresh, .refusedAlone):
            "one accepted, one refused, and the session lives on: one-time, no revocation"
        case (.concurrentRefresh, .acceptedAgain(true)):
            "both accepted, with the same refresh token, as in a grace window"
        case (.concurrentRefresh, .acceptedAgain(false)):
            "both accepted, with different tokens: the session lives on with the last ones"
        case (.concurrentRefresh, .onlyOneValid):
            "both accepted, but only one pair works, and the session lives on with it"
        case (.concurrentRefresh, .sessionRevoked(true)):
            "both accepted, but the session cannot be renewed since: this experiment ended it"
        case (.concurrentRefresh, .sessionRevoked(false)):
            "one accepted, one refused, and the session is revoked: this experiment ended it"
        case (.concurrentRefresh, .unanswered):
            "not both completely answered: it shows nothing"
        case (.concurrentRefresh, .inconclusive(let status)):
            "one answered \(status), which decides nothing"
        case (.lostAnswer, .refusedAlone):
            "refused the second time: an app would be signed out; authtop took the answer up again"
        case (.lostAnswer, .acceptedAgain(true)):
            "accepted again, with the tokens that were lost: no harm, as in a grace window"
        case (.lostAnswer, .acceptedAgain(false)):
            "accepted again, with other tokens: no harm"
        case (.lostAnswer, .sessionRevoked(false)):
            "refused the second time, and the session is revoked: this experiment ended it"
        case (.lostAnswer, .inconclusive(let status)):
            "answered \(status), so there was nothing to lose"
        default: nil
        }
    }

    /// For a place with little room.
    static func brief(_ verdict: ExperimentVerdict) -> String {
        switch verdict {
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

    /// The style of a verdict: whether it is the behavior of a correct backend.
    static func style(_ result: ExperimentResult) -> Style {
        if result.experiment == .lostAnswer {
            // It is sound to answer again, for a while, with what was lost.
            switch result.verdict {
            case .acceptedAgain: return .good
            case .refusedAlone: return .warning
            default: break
            }
        }
        return switch result.verdict {
        case .tokenRefused(_, false), .refusedAlone, .feedReturned(_, 0): .good
        case .tokenRefused, .sessionRevoked(false), .sessionRevoked(nil), .inconclusive,
            .unanswered, .notMade, .interrupted, .feedReturnedSilent, .acceptedAgain(true),
            .bothRefused:
            .busy
        case .tokenAccepted, .acceptedAgain(false), .onlyOneValid, .sessionRevoked(true),
            .feedReturned, .feedStayedAway:
            .warning
        }
    }
}
