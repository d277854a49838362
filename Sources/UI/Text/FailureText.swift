package import Model

/// Why a refresh or a login failed.
package enum FailureText {
    static func kind(_ kind: RefreshFailure.Class) -> String {
        switch kind {
        case .heldBack: "held back here"
        case .notSent: "not sent"
        case .unknown: MissingAnswerText.either
        case .transient: "temporary"
        case .clientFault: "request rejected"
        case .refused: "refused"
        }
    }

    /// Returns the local cause, or the class of the failure; a response without information is not
    /// lost.
    static func name(_ failure: RefreshFailure) -> String {
        switch failure.cause {
        case .lockHeld: "lock held elsewhere"
        case .vault(let problem), .unstorable(let problem): vault(problem)
        case .vaultChanged: "vault changed"
        case .replaced: "replaced by another login"
        case .paused: "renewal paused"
        case .unsaved: "last pair not saved"
        case .circuitBreakerOpen: "renewal held back"
        case .expiredOnArrival: "new token already ended"
        case .networkAbsent: "network not back"
        case .authorization: "not logged in"
        case .idToken: "id token rejected"
        case .anotherUser: "another user's token"
        case .unsent(.credential): "credential missing"
        case .unsent(.noEndpoint): "no endpoint"
        case .unsent(.unusableRequest), .unsent(.unusableHeader), .unsent(.unusablePath):
            "request unusable"
        case .unsent(.missingCapture): "captured value missing"
        case .unusableAnswer: MissingAnswerText.unusable
        case .refreshTokenOnly: "only a refresh token came"
        case .interrupted: "no answer on record"
        case .unavailable(429, _): "rate limited"
        case .unavailable(500..., _): "backend unavailable"
        // A refusal, perhaps; but not one that the profile lists.
        case .unavailable: "answer not in the profile"
        case .unsent(.unreachable): "backend unreachable"
        case .unanswered: MissingAnswerText.lost
        case .forbidden: "request forbidden"
        case .clientForgotten: "client forgotten"
        case .answerDiscarded, .notUnderstood, .refreshTokenRefused, .credentialsRefused:
            kind(failure.kind)
        }
    }

    /// `vault locked`.
    static func vault(_ problem: VaultProblem) -> String {
        switch problem.kind {
        case .locked: "vault locked"
        case .full: "disk full"
        case .inUse: "vault in use"
        case .unusable: "vault unusable"
        }
    }

    /// The meaning of the failure for the token.
    static func meaning(_ failure: RefreshFailure) -> String {
        if case .refreshTokenOnly = failure.cause {
            return "the refresh token is spent, and the new one is kept: it is sent next"
        }
        if case .clientForgotten = failure.cause {
            return "the refresh token is good for the client alone that the backend has forgotten"
        }
        return meaning(failure.kind)
    }

    static func meaning(_ kind: RefreshFailure.Class) -> String {
        switch kind {
        case .heldBack: "nothing was sent, for a cause here: the refresh token is as good as before"
        case .notSent: "no byte left: the refresh token is as good as before"
        case .unknown: "\(MissingAnswerText.either): the refresh token may be spent"
        case .transient: "no verdict on the refresh token: the same token is sent again"
        case .clientFault: "the request is not understood: check path and fields in the profile"
        case .refused: "the refresh token is no longer accepted"
        }
    }

    /// `503`, or what there is in place of a status.
    static func brief(_ failure: RefreshFailure) -> String {
        failure.status.map(String.init) ?? name(failure)
    }

    /// `refused (401): Invalid or expired refresh token`.
    package static func full(_ failure: RefreshFailure) -> String {
        let text = CauseText().text(failure)
        if failure.kind == .heldBack { return text }
        let status = failure.status.map { " (\($0))" } ?? ""
        // The name already states that it can be retried later.
        if case .unavailable(_, nil) = failure.cause { return name(failure) + status }
        return "\(name(failure))\(status): \(text)"
    }
}

/// The names of an answer that is missing.
enum MissingAnswerText {
    /// No answer has arrived.
    static let lost = "answer lost"
    /// An answer has arrived, and cannot be used.
    static let unusable = "answer not usable"
    /// Either of the two.
    static let either = "answer lost or not usable"
    /// For a place with little room.
    static let short = "not usable"
}
