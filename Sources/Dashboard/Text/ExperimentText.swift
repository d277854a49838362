package import Lifecycle

/// Experiments with the backend: what each does, what a sound backend does, and what it showed.
package enum ExperimentText {
    package static func name(_ experiment: Experiment) -> String {
        switch experiment {
        case .expiredToken: "send an expired access token"
        case .corruptedToken: "send a corrupted access token"
        case .replayedToken: "replay the replaced refresh token"
        case .cutFeed: "cut the feed"
        }
    }

    /// What is about to happen.
    static func action(_ experiment: Experiment) -> String {
        switch experiment {
        case .expiredToken: "sends a token whose end has passed"
        case .corruptedToken: "sends the token, one character changed"
        case .replayedToken: "sends the refresh token before this one, then a request and a renewal"
        case .cutFeed: "ends the feed without a close frame"
        }
    }

    /// What a sound backend does.
    static func expectation(_ experiment: Experiment) -> String {
        switch experiment {
        case .expiredToken: "401; some seconds of leeway are usual"
        case .corruptedToken: "401"
        case .replayedToken: "refused, or the session is revoked"
        case .cutFeed: "back within seconds, nothing missing"
        }
    }

    /// What may happen to the session or its user.
    static func risk(_ experiment: Experiment) -> String {
        switch experiment {
        case .expiredToken: "The backend sees a request with an expired token."
        case .corruptedToken: "The backend sees a forged token, and may take it for an attack."
        case .replayedToken: "A backend with reuse detection revokes the session."
        case .cutFeed: "The backend sees a connection that breaks."
        }
    }

    /// What an experiment showed, in a sentence.
    package static func sentence(_ result: ExperimentResult) -> String {
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
            return "accepted: it brought the tokens in use again, as in a grace period"
        case (_, .acceptedAgain(false)):
            return "accepted: it brought other tokens, and the session lives on"
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
        case (_, .interrupted): return "the session ended before it showed anything"
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
        case .sessionRevoked: "session revoked"
        case .feedReturned(_, 0): "nothing missing"
        case .feedReturned(_, let missed): "\(missed) missing"
        case .feedReturnedSilent: "silent since"
        case .feedStayedAway: "stayed away"
        case .interrupted: "interrupted"
        }
    }

    /// How a verdict is shown: whether it is what a sound backend does.
    static func style(_ verdict: ExperimentVerdict) -> Style {
        switch verdict {
        case .tokenRefused(_, false), .refusedAlone, .feedReturned(_, 0): .good
        case .tokenRefused, .sessionRevoked(false), .sessionRevoked(nil), .inconclusive,
            .unanswered, .interrupted,
            .feedReturnedSilent, .acceptedAgain(true):
            .busy
        case .tokenAccepted, .acceptedAgain(false), .sessionRevoked(true), .feedReturned,
            .feedStayedAway:
            .warning
        }
    }
}
